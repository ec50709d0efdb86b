package dev.tallystick.client.mint;

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
 * Generates keys of the form {@code client:sequence:nonce}, and writes them to disk before it returns them. A purpose keeps its
 * key until it is settled, even after a crash: a process that died between sending and receiving the answer asks for the same
 * purpose again and repeats the same request.
 *
 * <p>The file is a log: a line {@code sequence nonce purpose} for a minted key, {@code done purpose} for a key whose answer is
 * definite. One process at a time has it open. Thread-safe.
 */
public final class KeyMint implements AutoCloseable {

    private static final String DONE = "done ";

    /** So many settled keys are kept before the log is rewritten. */
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
     * Opens the mint in {@code file}, or creates it.
     *
     * @param clientId stable for one client, across restarts
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

    /** The key for a purpose: a new one, or its previous one if that is not settled yet. */
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
     * Marks the key as settled, because its answer is definite: the next request for the purpose gets a new key. Does nothing
     * if the purpose has another key by now, because others settled this one: that key may be in use.
     */
    public synchronized void settled(String purpose, IdempotencyKey key) {
        if (key.equals(open.get(purpose))) {
            append(DONE + purpose);
            open.remove(purpose);
        }
    }

    /**
     * Sends a request under the key for a purpose, and settles the key when the answer arrives. After an exception, including
     * that of a full disk, the key stays open: calling this again uses the same key.
     */
    public <T> T under(String purpose, Function<IdempotencyKey, T> asking) {
        IdempotencyKey key = keyFor(purpose);
        T answer = asking.apply(key);
        settled(purpose, key);
        return answer;
    }

    /** The purposes without a definite answer, the oldest first. */
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

    /** Compacts before it writes: compaction keeps only what is in memory, which does not have the new line yet. */
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

    /** Keeps only open keys, and the sequence, which never goes back. */
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
        // The file would contain a '?' instead, and the next process would use another key.
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(purpose)) {
            throw new IllegalArgumentException("a purpose has no half of a surrogate pair");
        }
    }
}
