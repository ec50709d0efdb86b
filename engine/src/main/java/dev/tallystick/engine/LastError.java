package dev.tallystick.engine;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What last failed in a job and has not succeeded since.
 *
 * @param activity its name; {@code $main} is the body itself
 * @param error why it failed, in one line
 * @param at when it failed; null if nothing was kept but the line
 * @param stackTrace with all causes, bounded; null if there is none, or another codec wrote it
 */
public record LastError(
        String path,
        String activity,
        String error,
        @Nullable Instant at,
        @Nullable String stackTrace) {

    LastError with(@Nullable String trace) {
        return new LastError(path, activity, error, at, trace);
    }
}
