package dev.tallystick.sql;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/** Waits that double from {@code first} up to {@code longest}, with full jitter so that rivals do not collide again. */
record Backoff(Duration first, Duration longest, RandomGenerator random) {

    /** @param attempt 1 before the second attempt, 2 before the third, and so on */
    void pause(int attempt) {
        LockSupport.parkNanos(nanos(attempt));
    }

    long nanos(int attempt) {
        long bound = first.toNanos() << Math.min(attempt - 1, 20);
        return random.nextLong(Math.min(bound, longest.toNanos())) + 1;
    }
}
