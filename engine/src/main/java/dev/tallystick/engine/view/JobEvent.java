package dev.tallystick.engine.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a job.
 *
 * @param position its place among the job's events, from 1, without gaps
 * @param event {@code accepted}, {@code entered} (an activity), {@code signalled}, {@code returned} (an activity received its
 *     result), {@code failed} (that result was a failure) or {@code closed}
 * @param path of the activity, or null
 * @param name of the activity or of the signal, or null
 * @param kind of the activity, or null
 * @param outcome how the job ended, or null
 * @param error why the activity or the job failed, or null
 */
public record JobEvent(
        long position,
        String event,
        @Nullable String path,
        @Nullable String name,
        @Nullable String kind,
        @Nullable String outcome,
        @Nullable String error,
        Instant at) {}
