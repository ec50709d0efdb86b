package dev.tallystick.client;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import dev.tallystick.core.api.ScheduleApi.PutSchedule;
import dev.tallystick.core.api.ScheduleApi.ScheduleList;
import dev.tallystick.core.api.ScheduleApi.ScheduleShown;
import dev.tallystick.core.api.ScheduleApi.ScheduleState;
import dev.tallystick.core.api.ScheduleApi.Triggered;
import org.jspecify.annotations.Nullable;

/** Schedules of a server. Thread-safe. */
public final class Schedules {

    private static final String PATH = "/v1/schedules";

    private final Transport transport;

    Schedules(Transport transport) {
        this.transport = transport;
    }

    /**
     * When to run, and what.
     *
     * @param cron minute, hour, day of month, month, day of week
     * @param zone the time zone, such as {@code Europe/Berlin}
     */
    public record NewSchedule(String workflow, String cron, String zone, Json input, Priority priority) {

        public static NewSchedule of(String workflow, String cron, String zone, Json input) {
            return new NewSchedule(workflow, cron, zone, input, Priority.DEFAULT);
        }
    }

    /** Stores a schedule, replacing one of the same name; a paused one stays paused. */
    public ScheduleState put(String name, NewSchedule schedule) {
        PutSchedule body = new PutSchedule(
                schedule.workflow(), schedule.cron(), schedule.zone(), schedule.input(), schedule.priority());
        return transport.ask(Request.put(path(name), body), ScheduleState.class, ScheduleState::name, name);
    }

    /** A page of schedules; {@code after} is the {@link ScheduleList#next()} of the previous page, null for the first. */
    public ScheduleList list(@Nullable String after, int limit) {
        return transport.ask(
                new Query(PATH).with("after", after).with("limit", limit).read(), ScheduleList.class);
    }

    public ScheduleShown find(String name) {
        return transport.ask(Request.get(path(name)), ScheduleShown.class);
    }

    /** Deletes a schedule. Jobs that it started continue. */
    public void delete(String name) {
        transport.tell(Request.delete(path(name)));
    }

    /** Pauses a schedule: it does not fire until it is resumed. */
    public ScheduleState pause(String name) {
        return changed(name, "pause");
    }

    /** Resumes a schedule: it fires from the next moment on. */
    public ScheduleState resume(String name) {
        return changed(name, "resume");
    }

    /** Starts one of its jobs now. The same key again is the same job. */
    public Triggered trigger(String name, IdempotencyKey key) {
        return transport.ask(
                Request.post(path(name) + "/trigger").under(key.value()), Triggered.class, Triggered::key, key.value());
    }

    private ScheduleState changed(String name, String verb) {
        return transport.ask(Request.post(path(name) + "/" + verb), ScheduleState.class, ScheduleState::name, name);
    }

    private static String path(String name) {
        return PATH + "/" + Query.encode(name);
    }
}
