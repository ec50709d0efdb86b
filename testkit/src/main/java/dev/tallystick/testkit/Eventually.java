package dev.tallystick.testkit;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Polls a foreign system that sends no signal: a database session that ends, a process that disappears. For our own code use
 * {@link Signal}.
 */
public final class Eventually {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(50);

    /** Waits until the value satisfies the condition, and returns it. */
    public static <T extends @Nullable Object> T value(String what, Callable<T> probe, Predicate<? super T> condition) {
        return value(what, Patience.limit(), probe, condition);
    }

    /** As above, with a limit. A probe that throws counts as "not yet"; the failure includes its last exception. */
    public static <T extends @Nullable Object> T value(
            String what, Duration limit, Callable<T> probe, Predicate<? super T> condition) {
        long deadline = System.nanoTime() + limit.toNanos();
        long pause = FIRST_PAUSE.toNanos();
        while (true) {
            String last;
            @Nullable Exception thrown = null;
            try {
                T value = probe.call();
                if (condition.test(value)) {
                    return value;
                }
                last = "last value: " + value;
            } catch (Exception e) {
                last = "last attempt threw " + e;
                thrown = e;
            }
            boolean interrupted = Thread.currentThread().isInterrupted();
            if (interrupted || System.nanoTime() - deadline >= 0) {
                String waited = interrupted ? "interrupted while waiting" : "waited " + Patience.inWords(limit);
                throw new AssertionError(waited + " for: " + what + "; " + last, thrown);
            }
            LockSupport.parkNanos(pause);
            pause = Math.min(pause * 2, LONGEST_PAUSE.toNanos());
        }
    }

    /** Waits until the condition holds. */
    public static void holds(String what, Callable<Boolean> condition) {
        value(what, condition, holds -> holds);
    }

    private Eventually() {}
}
