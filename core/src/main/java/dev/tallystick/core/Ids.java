package dev.tallystick.core;

import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * Creates version 7 UUIDs (RFC 9562), which sort by creation time. Thread-safe.
 *
 * <p>Invariant: each id is greater than the one before, even within a millisecond and even when the clock steps back. The time
 * in an id may therefore be ahead of the clock; it is never behind an earlier id of the same generator.
 */
public final class Ids {

    private static final int RANDOM_A_BITS = 12;
    private static final int RANDOM_B_BITS = 62;
    private static final long RANDOM_A_MASK = (1L << RANDOM_A_BITS) - 1;
    private static final long RANDOM_B_MASK = (1L << RANDOM_B_BITS) - 1;
    private static final long LARGEST_MILLIS = (1L << 48) - 1;
    private static final long VERSION_7 = 0x7L << 12;
    private static final long VARIANT = 0b10L << RANDOM_B_BITS;
    private static final int TEXT_LENGTH = 36;

    /** Random increments within a millisecond, so that an id does not reveal its neighbours. */
    private static final long LARGEST_STEP = 1L << 32;

    private final InstantSource clock;
    private final RandomGenerator random;

    private long millis = -1;
    private long randomA;
    private long randomB;

    /** Pass a {@link java.security.SecureRandom} if ids must not be guessable. */
    public Ids(InstantSource clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
    }

    public synchronized UUID next() {
        long now = Math.max(0, clock.millis());
        if (now > millis) {
            startMillisecond(now);
        } else {
            step();
        }
        return new UUID(millis << 16 | VERSION_7 | randomA, VARIANT | randomB);
    }

    /** Reads the canonical form of an id, and no other: lower case, full length. */
    public static Optional<UUID> parse(String text) {
        if (text.length() != TEXT_LENGTH) {
            return Optional.empty();
        }
        try {
            UUID id = UUID.fromString(text);
            return id.toString().equals(text) ? Optional.of(id) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** The same kind of id in the format of the ledger's transactions. */
    public Ulid nextUlid() {
        return Ulid.of(next());
    }

    private void startMillisecond(long next) {
        if (next > LARGEST_MILLIS) {
            throw new IllegalStateException("the clock is past the year 10889: " + next + " ms");
        }
        millis = next;
        randomA = random.nextLong() & RANDOM_A_MASK;
        randomB = random.nextLong() & RANDOM_B_MASK;
    }

    private void step() {
        randomB += 1 + random.nextLong(LARGEST_STEP);
        if (randomB > RANDOM_B_MASK) {
            randomB &= RANDOM_B_MASK;
            randomA++;
        }
        if (randomA > RANDOM_A_MASK) {
            startMillisecond(millis + 1);
        }
    }
}
