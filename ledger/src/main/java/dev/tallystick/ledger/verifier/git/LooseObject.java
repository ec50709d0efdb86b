package dev.tallystick.ledger.verifier.git;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** An object in a file of its own. */
public final class LooseObject {

    private static final int CHUNK = 16 << 10;

    /** The longest type, a space, a number of nine digits and the zero after it. */
    private static final int LONGEST_HEADER = 20;

    private LooseObject() {}

    /** Checks that a file holds the object of this id, without keeping it. */
    public static void audit(Path file, String id) throws IOException, Unsound {
        MessageDigest sha1 = Hashes.sha1();
        long[] total = {0};
        byte[] begin = new byte[LONGEST_HEADER];
        inflate(file, (bytes, length) -> {
            if (total[0] < begin.length) {
                System.arraycopy(bytes, 0, begin, (int) total[0], (int) Math.min(length, begin.length - total[0]));
            }
            total[0] += length;
            sha1.update(bytes, 0, length);
        });
        String[] header = header(begin, total[0]);
        if (!header[1].equals(Long.toString(total[0] - header[0].length() - header[1].length() - 2))) {
            throw new Unsound("the object has no proper header");
        }
        if (!Hashes.hex(sha1.digest()).equals(id)) {
            throw new Unsound("the object is damaged");
        }
    }

    public static StoredObject read(Path file) throws IOException, Unsound {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        inflate(file, (bytes, length) -> {
            if (out.size() > PackFile.LARGEST_OBJECT) {
                throw new Unsound("the object is too large");
            }
            out.write(bytes, 0, length);
        });
        byte[] bytes = out.toByteArray();
        String[] header = header(Arrays.copyOf(bytes, LONGEST_HEADER), bytes.length);
        int begin = header[0].length() + header[1].length() + 2;
        byte[] content = Arrays.copyOfRange(bytes, begin, bytes.length);
        if (!header[1].equals(Integer.toString(content.length))) {
            throw new Unsound("the object has no proper header");
        }
        return new StoredObject(header[0], content);
    }

    /** Type and length. */
    private static String[] header(byte[] begin, long total) throws Unsound {
        int zero = 0;
        while (zero < begin.length && zero < total && begin[zero] != 0) {
            zero++;
        }
        String[] header = new String(begin, 0, zero, US_ASCII).split(" ", -1);
        if (header.length != 2 || zero == begin.length || zero >= total) {
            throw new Unsound("the object has no proper header");
        }
        return header;
    }

    private static void inflate(Path file, PackWindow.Sink sink) throws IOException, Unsound {
        Inflater inflater = new Inflater();
        byte[] deflated = new byte[CHUNK];
        byte[] chunk = new byte[CHUNK];
        try (InputStream in = Files.newInputStream(file)) {
            while (!inflater.finished()) {
                if (inflater.needsInput()) {
                    int got = in.read(deflated);
                    if (got < 0) {
                        throw new Unsound("the object is cut short");
                    }
                    inflater.setInput(deflated, 0, got);
                }
                int got = inflater.inflate(chunk);
                if (inflater.needsDictionary()) {
                    throw new Unsound("the object asks for a dictionary, which Git never does");
                }
                sink.take(chunk, got);
            }
            if (inflater.getRemaining() > 0 || in.read() >= 0) {
                throw new Unsound("something follows the object");
            }
        } catch (DataFormatException e) {
            throw new Unsound("the object does not inflate");
        } finally {
            inflater.end();
        }
    }
}
