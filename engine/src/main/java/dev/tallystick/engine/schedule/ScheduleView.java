package dev.tallystick.engine.schedule;

import dev.tallystick.workflow.JobId;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A schedule and its state at the time it was read.
 *
 * @param nextAt when it fires next, unless it is paused
 * @param firedFor the last moment that it fired for
 * @param firedJob the job that it started then
 * @param trouble why it missed its last moment
 */
public record ScheduleView(
        String name,
        String workflow,
        Cron cron,
        ZoneId zone,
        Instant nextAt,
        boolean isPaused,
        Optional<Instant> firedFor,
        Optional<JobId> firedJob,
        @Nullable String trouble) {}
