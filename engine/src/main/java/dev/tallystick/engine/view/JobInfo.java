package dev.tallystick.engine.view;

import dev.tallystick.core.Priority;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A job at the time it was read.
 *
 * @param outcome null while the job is open
 * @param error why the job failed or was ended
 * @param parent the job that waits for it, or null
 * @param continuedFrom the job that this one continues, or null
 * @param attributes to find the job by
 */
public record JobInfo(
        JobId id,
        String mesh,
        String workflow,
        int version,
        Priority priority,
        @Nullable JobOutcome outcome,
        @Nullable String error,
        Instant createdAt,
        @Nullable Instant closedAt,
        @Nullable JobId parent,
        @Nullable JobId continuedFrom,
        Map<String, String> attributes) {}
