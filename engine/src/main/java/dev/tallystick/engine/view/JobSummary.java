package dev.tallystick.engine.view;

import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A job in a list, at the time it was read.
 *
 * @param outcome how it ended; empty while the job is open
 * @param error why it failed
 */
public record JobSummary(
        JobId id,
        String workflow,
        int version,
        Optional<JobOutcome> outcome,
        @Nullable String error,
        Instant submittedAt,
        Optional<Instant> closedAt,
        Map<String, String> attributes) {

    public static JobSummary of(JobInfo job) {
        return new JobSummary(
                job.id(),
                job.workflow(),
                job.version(),
                Optional.ofNullable(job.outcome()),
                job.error(),
                job.createdAt(),
                Optional.ofNullable(job.closedAt()),
                job.attributes());
    }
}
