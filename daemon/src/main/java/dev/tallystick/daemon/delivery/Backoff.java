package dev.tallystick.daemon.delivery;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The pauses between attempts: each twice as long as the one before, with jitter to separate daemons that failed together.
 */
public record Backoff(Duration first, Duration longest) {

    public static final Backoff DEFAULT = new Backoff(Duration.ofMillis(500), Duration.ofSeconds(30));

    private static final double JITTER = 0.25;
    private static final int MOST_DOUBLINGS = 30;

    /** @param failures in a row, from 1 */
    Duration pause(int failures, RandomGenerator random) {
        long nanos = Math.min(
                longest.toNanos(),
                Math.multiplyExact(first.toMillis(), 1L << Math.clamp(failures - 1, 0, MOST_DOUBLINGS)) * 1_000_000L);
        return Duration.ofNanos((long) (nanos * (1 - JITTER * random.nextDouble())));
    }
}
