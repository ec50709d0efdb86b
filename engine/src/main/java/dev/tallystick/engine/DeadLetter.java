package dev.tallystick.engine;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job that failed or was not done in time, and that nobody waits for.
 *
 * @param job the closed job
 * @param reason why it failed
 * @param ceiling whether a ledger was full, which no retry mends
 * @param redrivenAs the job that was begun in its place; null as long as nobody has
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
