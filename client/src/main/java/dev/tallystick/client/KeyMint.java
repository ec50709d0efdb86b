package dev.tallystick.client;

import dev.tallystick.core.IdempotencyKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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
    private final MintLog log;
    private long sequence;
    private int lines;

    private KeyMint(Path file, String clientId, RandomGenerator random, int compactAfter, MintLog log) {
        this.file = file;
        this.clientId = clientId;
        this.random = random;
        this.compactAfter = compactAfter;
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
            MintLog log = MintLog.open(file);
            try {
                KeyMint mint = new KeyMint(file, clientId, random, compactAfter, log);
                mint.read();
                mint.compact();
                return mint;
            } catch (IOException | RuntimeException e) {
                log.close();
                throw e;
            }
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
        append(line(key, purpose));
        sequence++;
        open.put(purpose, key);
        return key;
    }

    /**
     * The answer under this key is definite: the next request for the purpose is another one. If the purpose has another key by
     * now, since others have settled this one, nothing changes: that key may be under way.
     */
    public synchronized void settled(String purpose, IdempotencyKey key) {
        if (key.equals(open.get(purpose))) {
            append(DONE + purpose);
            open.remove(purpose);
        }
    }

    /**
     * Asks for something under the key for a purpose, which is settled when the answer is here. An exception leaves it
     * open, also that of a disk that is full: the same again has the same key.
     */
    public <T> T under(String purpose, Function<IdempotencyKey, T> asking) {
        IdempotencyKey key = keyFor(purpose);
        T answer = asking.apply(key);
        settled(purpose, key);
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
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read() throws IOException {
        for (String line : log.lines()) {
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
            log.append(line);
            lines++;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }

    /** Only what is open, and the sequence, which never goes back. */
    private void compact() throws IOException {
        List<String> content = new ArrayList<>();
        open.forEach((purpose, key) -> content.add(line(key, purpose)));
        content.add(sequence + " 0000000000000000 ");
        content.add(DONE);
        log.replace(content);
        lines = 0;
    }

    private static String line(IdempotencyKey key, String purpose) {
        IdempotencyKey.Minted parts = key.minted().orElseThrow();
        return parts.sequence() + " " + parts.nonce() + " " + purpose;
    }

    private static void requireOneLine(String purpose) {
        if (purpose.isEmpty() || purpose.indexOf('\n') >= 0 || purpose.indexOf('\r') >= 0) {
            throw new IllegalArgumentException("a purpose is one line of text");
        }
        // The file would have a '?' in its place, and the next process another key.
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(purpose)) {
            throw new IllegalArgumentException("a purpose has no half of a surrogate pair");
        }
    }
}
