package dev.tallystick.engine;

import java.time.Instant;

/**
 * A job that failed or was not done in time, and that nobody waits for.
 *
 * @param job the closed job
 * @param reason why it failed
 * @param ceiling whether a ledger was full, which no retry mends
 */
public record DeadLetter(
        JobId job, String mesh, String workflow, int version, String reason, boolean ceiling, Instant raisedAt) {}
