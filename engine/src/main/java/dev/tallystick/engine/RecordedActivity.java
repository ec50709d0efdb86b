package dev.tallystick.engine;

import dev.tallystick.core.ActivityLedger;
import org.jspecify.annotations.Nullable;

/**
 * The record of one activity of a job.
 *
 * @param attempts how often its work was started
 */
record RecordedActivity(
        String path,
        String name,
        ActivityLedger ledger,
        int attempts,
        byte @Nullable [] output,
        @Nullable String error) {

    boolean isDone() {
        return ledger.workDone();
    }

    /** Its output; throws its failure if it failed. */
    byte @Nullable [] demandSuccess() {
        if (error != null) {
            throw new StepFailedException(name, error);
        }
        return output;
    }
}
