package dev.tallystick.engine;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The end of a job, for somebody who was not there.
 *
 * @param firstJob the job that was submitted; another than the one that ended if that went on as a new job
 */
public record JobEnd(
        JobId job,
        JobId firstJob,
        String mesh,
        String workflow,
        int version,
        JobOutcome outcome,
        @Nullable String error,
        Instant at) {}
