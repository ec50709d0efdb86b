package dev.tallystick.engine.record;

import dev.tallystick.engine.model.ExecutionStopped;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.sql.UnknownOutcomeException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the database until it answers. A temporary outage must not fail the job: a body that gets no answer stops here, and the
 * next process to lease it asks again.
 */
public final class DatabaseRetry {

    private static final int MAX_ATTEMPTS = 100;
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final BooleanSupplier stopping;
    private final int attempts;

    public DatabaseRetry(BooleanSupplier stopping) {
        this(stopping, MAX_ATTEMPTS);
    }

    DatabaseRetry(BooleanSupplier stopping, int attempts) {
        this.stopping = stopping;
        this.attempts = attempts;
    }

    /** The answer to a question that may be asked any number of times. */
    <T extends @Nullable Object> T answer(Supplier<T> question) {
        return answer(question, failure -> true);
    }

    /** The result of work that may be repeated only after some failures. Stops a body that gets no answer. */
    <T extends @Nullable Object> T answer(Supplier<T> work, Predicate<TransactionException> mayRepeat) {
        try {
            return insist(work, mayRepeat);
        } catch (TransactionException e) {
            if (!mayRepeat.test(e)) {
                throw e;
            }
            throw new ExecutionStopped(ExecutionStopped.Reason.OUTCOME_UNKNOWN);
        }
    }

    /**
     * The result of work that may be repeated only after some failures.
     *
     * @throws TransactionException the failure that must not be repeated, or the last failure when attempts run out; if any
     *     attempt may have committed, an unknown outcome instead, regardless of the other attempts
     */
    public <T extends @Nullable Object> T insist(Supplier<T> work, Predicate<TransactionException> mayRepeat) {
        UnknownOutcomeException unknown = null;
        for (int attempt = 1; ; attempt++) {
            try {
                return work.get();
            } catch (TransactionException away) {
                unknown = away instanceof UnknownOutcomeException lost ? lost : unknown;
                if (!mayRepeat.test(away)) {
                    throw away;
                }
                if (stopping.getAsBoolean()) {
                    throw new ExecutionStopped(ExecutionStopped.Reason.SHUT_DOWN);
                }
                if (attempt == attempts) {
                    throw unknown == null ? away : unknown;
                }
                pause(attempt);
            }
        }
    }

    static void pause(int attempt) {
        LockSupport.parkNanos(Math.min(LONGEST_PAUSE.toNanos(), 10_000_000L << Math.min(attempt, 20)));
    }
}
