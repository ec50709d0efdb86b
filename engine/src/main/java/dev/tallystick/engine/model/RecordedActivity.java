package dev.tallystick.engine.model;

import dev.tallystick.core.ActivityLedger;
import dev.tallystick.workflow.StepFailedException;
import org.jspecify.annotations.Nullable;

/**
 * The record of one activity of a job.
 *
 * @param attempts how often its work was started
 */
public record RecordedActivity(
        String path,
        String name,
        ActivityLedger ledger,
        int attempts,
        byte @Nullable [] output,
        @Nullable String error) {

    public boolean isDone() {
        return ledger.workDone();
    }

    /** Its output; throws its failure if it failed. */
    public byte @Nullable [] demandSuccess() {
        if (error != null) {
            throw new StepFailedException(name, error);
        }
        return output;
    }
}
