package dev.tallystick.workflow;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The last error in a job that no later success has cleared.
 *
 * @param activity the name of the activity; {@code $main} is the body itself
 * @param error why it failed, in one line
 * @param at when it failed; null if only the line was kept
 * @param stackTrace with all causes, bounded; null if there is none or another codec wrote it
 */
public record LastError(
        String path,
        String activity,
        String error,
        @Nullable Instant at,
        @Nullable String stackTrace) {

    public LastError with(@Nullable String trace) {
        return new LastError(path, activity, error, at, trace);
    }
}
