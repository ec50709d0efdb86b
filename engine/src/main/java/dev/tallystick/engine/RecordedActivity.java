package dev.tallystick.engine;

import dev.tallystick.core.ActivityLedger;
import org.jspecify.annotations.Nullable;

/**
 * What the record says of one activity of a job.
 *
 * @param attempts how often its work was begun
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

    /** What it brought; throws why it failed, if it did. */
    byte @Nullable [] demandSuccess() {
        if (error != null) {
            throw new StepFailedException(name, error);
        }
        return output;
    }
}
