package dev.tallystick.engine;

import java.time.Instant;
import java.time.ZoneId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as it stood when it was read.
 *
 * @param nextAt when it fires next, unless it is paused
 * @param firedFor the moment for which it fired last
 * @param firedJob the job that came of it
 * @param trouble why it could not serve its last moment
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
