package dev.tallystick.client;

import dev.tallystick.core.IdempotencyKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * Makes keys of the form {@code client:sequence:nonce}, and has them on disk before anybody sees them. A purpose gets the same
 * key until it is settled, also after a crash: whoever died between sending and hearing the answer asks for the same purpose
 * and repeats the same request.
 *
 * <p>The file is a log: a line {@code sequence nonce purpose} for a key that was minted, {@code done purpose} for one whose
 * answer is definite. One process at a time has it open. Thread-safe.
 */
public final class KeyMint implements AutoCloseable {

    private static final String DONE = "done ";

    /** So much is kept of what is settled, before the log is written anew. */
    private static final int COMPACT_AFTER = 10_000;

    private final Path file;
    private final String clientId;
    private final RandomGenerator random;
    private final int compactAfter;
    private final SequencedMap<String, IdempotencyKey> open = new LinkedHashMap<>();
    private final FileChannel lockChannel;
    private FileChannel log;
    private long sequence;
    private int lines;

    private KeyMint(
            Path file,
            String clientId,
            RandomGenerator random,
            int compactAfter,
            FileChannel lockChannel,
            FileChannel log) {
        this.file = file;
        this.clientId = clientId;
        this.random = random;
        this.compactAfter = compactAfter;
        this.lockChannel = lockChannel;
        this.log = log;
    }

    /**
     * Opens the mint in {@code file}, or makes it.
     *
     * @param clientId stable for one client, also over restarts
     * @param random a {@link java.security.SecureRandom}
     * @throws IllegalStateException if another process has it open
     */
    public static KeyMint open(Path file, String clientId, RandomGenerator random) {
        return open(file, clientId, random, COMPACT_AFTER);
    }

    static KeyMint open(Path file, String clientId, RandomGenerator random, int compactAfter) {
        try {
            FileChannel lock = lock(file);
            FileChannel log = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
            KeyMint mint = new KeyMint(file, clientId, random, compactAfter, lock, log);
            mint.read();
            mint.compact();
            return mint;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot open the mint in " + file, e);
        }
    }

    /** The key for a purpose: a new one, or the one that it was given before and that is not settled yet. */
    public synchronized IdempotencyKey keyFor(String purpose) {
        requireOneLine(purpose);
        IdempotencyKey known = open.get(purpose);
        if (known != null) {
            return known;
        }
        IdempotencyKey key = IdempotencyKey.mint(clientId, sequence + 1, random);
        IdempotencyKey.Minted parts = key.minted().orElseThrow();
        append(parts.sequence() + " " + parts.nonce() + " " + purpose);
        sequence++;
        open.put(purpose, key);
        return key;
    }

    /** The answer is definite: the next request for this purpose is another one. */
    public synchronized void settled(String purpose) {
        if (open.remove(purpose) != null) {
            append(DONE + purpose);
        }
    }

    /**
     * Asks for something under the key for a purpose, which is settled when the answer is here. An exception leaves it
     * open: the same again has the same key.
     */
    public <T> T under(String purpose, Function<IdempotencyKey, T> asking) {
        T answer = asking.apply(keyFor(purpose));
        settled(purpose);
        return answer;
    }

    /** The purposes whose answer is not known yet, the oldest first. */
    public synchronized List<String> unsettled() {
        return List.copyOf(open.keySet());
    }

    @Override
    public synchronized void close() {
        try {
            log.close();
            lockChannel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static FileChannel lock(Path file) throws IOException {
        Path path = file.resolveSibling(file.getFileName() + ".lock");
        FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return channel;
            }
        } catch (OverlappingFileLockException e) {
            // This process has it already, which is no better than another one.
        }
        channel.close();
        throw new IllegalStateException(file + " is in use: each process needs a mint of its own");
    }

    /** A last line that was not finished is of a key that nobody has seen. */
    private void read() throws IOException {
        String text = Files.readString(file);
        String whole = text.substring(0, text.lastIndexOf('\n') + 1);
        for (String line : whole.lines().toList()) {
            if (line.startsWith(DONE)) {
                open.remove(line.substring(DONE.length()));
                continue;
            }
            String[] parts = line.split(" ", 3);
            sequence = Math.max(sequence, Long.parseLong(parts[0]));
            open.put(parts[2], new IdempotencyKey.Minted(clientId, Long.parseLong(parts[0]), parts[1]).key());
        }
    }

    /** Compacts before it writes: that keeps what is in memory, where the line has no trace yet. */
    private void append(String line) {
        try {
            if (lines >= compactAfter) {
                compact();
            }
            write(log, line + "\n");
            lines++;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }

    /** Only what is open, and the sequence, which never goes back. */
    private void compact() throws IOException {
        StringBuilder content = new StringBuilder();
        long highest = 0;
        for (Map.Entry<String, IdempotencyKey> each : open.entrySet()) {
            IdempotencyKey.Minted parts = each.getValue().minted().orElseThrow();
            highest = Math.max(highest, parts.sequence());
            content.append(parts.sequence()).append(' ').append(parts.nonce()).append(' ');
            content.append(each.getKey()).append('\n');
        }
        if (highest < sequence) {
            content.append(sequence).append(" 0000000000000000 \n").append(DONE).append('\n');
        }
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        FileChannel channel = FileChannel.open(fresh, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        write(channel, content.toString());
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        log.close();
        log = channel;
        lines = 0;
    }

    private static void write(FileChannel channel, String text) throws IOException {
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        channel.force(true);
    }

    private static void requireOneLine(String purpose) {
        if (purpose.isEmpty() || purpose.lines().count() != 1 || purpose.endsWith("\n")) {
            throw new IllegalArgumentException("a purpose is one line of text");
        }
    }
}
