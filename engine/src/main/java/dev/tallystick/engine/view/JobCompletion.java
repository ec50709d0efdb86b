package dev.tallystick.engine.view;

import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The end of a job, for an observer that missed it.
 *
 * @param firstJob the job that was submitted; differs from the job that ended if the submitted one continued as a new job
 */
public record JobCompletion(
        JobId job,
        JobId firstJob,
        String mesh,
        String workflow,
        int version,
        JobOutcome outcome,
        @Nullable String error,
        Instant at) {}
