package dev.tallystick.testkit;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How long a test waits for something that should happen at once. Long enough for a busy machine, because a healthy test never
 * waits that long; {@code -Dtally.patience=} sets it in seconds.
 */
public final class Patience {

    private static final Duration LIMIT = Duration.ofSeconds(Integer.getInteger("tally.patience", 30));

    public static Duration limit() {
        return LIMIT;
    }

    static String inWords(Duration limit) {
        return limit.toMillis() % 1000 == 0 ? limit.toSeconds() + " s" : limit.toMillis() + " ms";
    }

    /** A wait on a lock or latch; true if it succeeded in time. */
    @FunctionalInterface
    interface TimedWait {
        boolean await(long amount, TimeUnit unit) throws InterruptedException;
    }

    /** Performs the wait; a timeout or an interrupt fails the test with a message that says what it waited for. */
    static void await(String what, Duration limit, TimedWait wait) {
        try {
            if (!wait.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new AssertionError("waited " + inWords(limit) + " for: " + what);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for: " + what, interrupted);
        }
    }

    private Patience() {}
}
