package dev.tallystick.client;

import org.jspecify.annotations.Nullable;

/** The result of one attempt at a request. */
sealed interface Attempt<T> {

    record Answered<T>(T answer) implements Attempt<T> {}

    /** This attempt did nothing, and neither would another one. */
    record Refused<T>(RefusedException why) implements Attempt<T> {}

    /**
     * There is no definite answer.
     *
     * @param mayHaveHappened false if this attempt certainly did nothing
     */
    record Failed<T>(
            boolean mayHaveHappened,
            AttemptFailure failure,
            @Nullable Throwable cause) implements Attempt<T> {}
}
