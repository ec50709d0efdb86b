package dev.tallystick.engine;

import dev.tallystick.core.Priority;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A job as it stood when it was read.
 *
 * @param outcome null as long as it is open
 * @param error why it ended, if not well
 * @param parent the job that waits for it, or null
 * @param continuedFrom the job that it goes on for, or null
 * @param attributes what it can be found by
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
