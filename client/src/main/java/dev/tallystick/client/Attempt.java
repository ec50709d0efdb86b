package dev.tallystick.client;

import dev.tallystick.core.ProblemCode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The result of one attempt at a request. */
sealed interface Attempt<T> {

    record Answered<T>(T answer) implements Attempt<T> {}

    /** This attempt did nothing, and neither would another one. */
    record Refused<T>(ProblemCode code, RefusedException why) implements Attempt<T> {}

    /**
     * There is no definite answer.
     *
     * @param mayHaveHappened false if this attempt certainly did nothing
     * @param rest the minimum pause before the next attempt
     */
    record Failed<T>(
            boolean mayHaveHappened,
            AttemptFailure failure,
            Duration rest,
            @Nullable Throwable cause) implements Attempt<T> {}
}
