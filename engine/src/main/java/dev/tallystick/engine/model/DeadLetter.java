package dev.tallystick.engine.model;

import dev.tallystick.workflow.JobId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job that failed or timed out, without a waiting parent.
 *
 * @param job the closed job
 * @param reason why it failed
 * @param ceiling whether a ledger was full, which no retry fixes
 * @param redrivenAs the job that was started in its place; null until it is redriven
 */
public record DeadLetter(
        JobId job,
        String mesh,
        String workflow,
        int version,
        String reason,
        boolean ceiling,
        Instant raisedAt,
        @Nullable JobId redrivenAs) {}
