package dev.tallystick.core.api;

import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Schedules: put, list, pause, trigger. */
public interface ScheduleApi {

    /**
     * When to run, and what.
     *
     * @param cron minute, hour, day of month, month, day of week
     * @param zone the time zone; UTC if missing
     */
    record PutSchedule(
            String workflow,
            String cron,
            @Values(ifMissing = "\"UTC\"") @Nullable String zone,
            @Nullable Json input,
            @Values(ifMissing = "\"next\"") @Nullable Priority priority) {}

    /**
     * A schedule and its state.
     *
     * @param nextAt the next moment at which it fires, unless it is paused
     * @param firedFor the moment for which it fired last; null if it has not yet
     * @param firedJob the job of that moment; null if it has not fired yet
     * @param trouble why it could not fire for its last moment; null if it could
     */
    record ScheduleState(
            String name,
            String workflow,
            String cron,
            String zone,
            Instant nextAt,
            boolean paused,
            @Nullable Instant firedFor,
            @Nullable UUID firedJob,
            @Nullable String trouble) {}

    /**
     * Some schedules, by name.
     *
     * @param next the name to continue after; null on the last page
     */
    record ScheduleList(
            List<ScheduleState> schedules, @Nullable String next) implements Paged {}

    /**
     * A schedule, and the settings of its jobs.
     *
     * @param member the member that submits them
     */
    record ScheduleShown(ScheduleState schedule, String member, RawJson input, Priority priority) {}

    /**
     * A job that was triggered by hand.
     *
     * @param duplicate whether it was started under this key before
     */
    record Triggered(UUID jobId, String schedule, String key, boolean duplicate) {}
}
