package dev.tallystick.engine;

import dev.tallystick.sql.TransactionException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the database until it answers. That it is away for a while is no failure of the job that wanted to know: a body that gets
 * no answer stops here, and whoever leases it next asks again.
 */
final class Repeats {

    private static final int MAX_ATTEMPTS = 100;
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final BooleanSupplier stopping;

    Repeats(BooleanSupplier stopping) {
        this.stopping = stopping;
    }

    /** The answer to a question that may be asked any number of times. */
    <T extends @Nullable Object> T answer(Supplier<T> question) {
        return answer(question, failure -> true);
    }

    /** What comes of work that may be begun again after some failures only. */
    <T extends @Nullable Object> T answer(Supplier<T> work, Predicate<TransactionException> mayRepeat) {
        for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
            try {
                return work.get();
            } catch (TransactionException away) {
                if (!mayRepeat.test(away)) {
                    throw away;
                }
                if (stopping.getAsBoolean()) {
                    throw new BodyStopped(BodyStopped.Reason.SHUT_DOWN);
                }
                pause(attempt);
            }
        }
        throw new BodyStopped(BodyStopped.Reason.LEASE_LOST);
    }

    static void pause(int attempt) {
        LockSupport.parkNanos(Math.min(LONGEST_PAUSE.toNanos(), 10_000_000L << Math.min(attempt, 20)));
    }
}
