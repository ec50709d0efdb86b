package dev.tallystick.ledger.git;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.InflaterInputStream;

/** Objects that native Git wrote as single files. Read, never written: we write only packs. */
final class LooseObjects {

    private static final int LONGEST_HEADER = 32;

    private final Path objects;

    LooseObjects(Path objects) {
        this.objects = objects;
    }

    Optional<GitObject> read(Oid id) throws IOException {
        String hex = id.toString();
        byte[] deflated;
        try {
            deflated = Files.readAllBytes(objects.resolve(hex.substring(0, 2)).resolve(hex.substring(2)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        byte[] inflated = inflate(id, deflated);
        int end = 0;
        while (end < Math.min(inflated.length, LONGEST_HEADER) && inflated[end] != 0) {
            end++;
        }
        String header = new String(inflated, 0, end, US_ASCII);
        int space = header.indexOf(' ');
        byte[] content = Arrays.copyOfRange(inflated, Math.min(end + 1, inflated.length), inflated.length);
        if (space < 0 || !header.substring(space + 1).equals(Integer.toString(content.length))) {
            throw new DamagedObjectException("object " + id + " has an invalid header");
        }
        return Optional.of(new GitObject(ObjectType.word(header.substring(0, space)), content));
    }

    private static byte[] inflate(Oid id, byte[] deflated) throws DamagedObjectException {
        ByteArrayOutputStream inflated = new ByteArrayOutputStream(deflated.length * 4);
        try (InputStream in = new InflaterInputStream(new ByteArrayInputStream(deflated))) {
            byte[] chunk = new byte[8192];
            for (int got = in.read(chunk); got >= 0; got = in.read(chunk)) {
                inflated.write(chunk, 0, got);
                if (inflated.size() > Pack.LARGEST_OBJECT) {
                    throw new DamagedObjectException("object " + id + " is too large");
                }
            }
        } catch (DamagedObjectException e) {
            throw e;
        } catch (IOException e) {
            throw new DamagedObjectException("object " + id + " does not inflate: torn or damaged", e);
        }
        return inflated.toByteArray();
    }
}
