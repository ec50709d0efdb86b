package dev.tallystick.client;

import dev.tallystick.core.ProblemCode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What one attempt at a request came to. */
sealed interface Attempt<T> {

    record Answered<T>(T answer) implements Attempt<T> {}

    /** This attempt did nothing, and a further one will not either. */
    record Refused<T>(ProblemCode code, RefusedException why) implements Attempt<T> {}

    /**
     * There is no definite answer.
     *
     * @param mayHaveHappened false if this attempt has done nothing, for certain
     * @param rest how long to wait before the next one, at least
     */
    record Failed<T>(
            boolean mayHaveHappened,
            AttemptFailure failure,
            Duration rest,
            @Nullable Throwable cause) implements Attempt<T> {}
}
