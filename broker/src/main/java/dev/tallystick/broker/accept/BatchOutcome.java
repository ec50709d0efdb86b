package dev.tallystick.broker.accept;

import java.time.Duration;

/** The result of one of the submissions of a batch. */
public sealed interface BatchOutcome {

    /** As if it had been submitted alone. */
    record Answered(Acceptance answer) implements BatchOutcome {}

    /** Nothing was written, because an earlier submission could not be taken now. */
    record HeldBack(Duration retryAfter) implements BatchOutcome {}

    /** It failed by itself. The type of the exception says whether anything was written, as for a single submission. */
    record Failed(RuntimeException why) implements BatchOutcome {}
}
