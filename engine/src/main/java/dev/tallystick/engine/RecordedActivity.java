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
}
