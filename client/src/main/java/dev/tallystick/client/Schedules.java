package dev.tallystick.client;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
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

    /**
     * A schedule and its state.
     *
     * @param nextAt the next moment at which it fires, unless it is paused
     * @param firedFor the moment for which it fired last; null if it has not yet
     * @param firedJob the job of that moment; null if it has not fired yet
     * @param trouble why it could not fire for its last moment; null if it could
     */
    public record Schedule(
            String name,
            String workflow,
            String cron,
            String zone,
            Instant nextAt,
            boolean paused,
            @Nullable Instant firedFor,
            @Nullable UUID firedJob,
            @Nullable String trouble) {

        static Schedule of(Fields fields) {
            return new Schedule(
                    fields.text("name"),
                    fields.text("workflow"),
                    fields.text("cron"),
                    fields.text("zone"),
                    fields.text("next_at", Instant::parse),
                    fields.flag("paused"),
                    fields.optionalText("fired_for", Instant::parse),
                    fields.optionalText("fired_job", UUID::fromString),
                    fields.optionalText("trouble"));
        }
    }

    /**
     * Some schedules, by name.
     *
     * @param next the name to continue after; null on the last page
     */
    public record Page(List<Schedule> schedules, @Nullable String next) {}

    /**
     * A schedule, and the settings of its jobs.
     *
     * @param member the member that submits them
     */
    public record Shown(Schedule schedule, String member, Json input, Priority priority) {

        static Shown of(Fields fields) {
            return new Shown(
                    Schedule.of(fields.fields("schedule")),
                    fields.text("member"),
                    fields.json("input"),
                    fields.text("priority", Priority::parse));
        }
    }

    /**
     * A job that was triggered by hand.
     *
     * @param duplicate whether it was started under this key before
     */
    public record Triggered(UUID job, boolean duplicate) {}

    /** Stores a schedule, replacing one of the same name; a paused one stays paused. */
    public Schedule put(String name, NewSchedule schedule) {
        Body body = new Body()
                .with("workflow", schedule.workflow())
                .with("cron", schedule.cron())
                .with("zone", schedule.zone())
                .with("input", schedule.input())
                .with("priority", schedule.priority().word());
        return transport.ask(Request.put(path(name), body.json()), answer -> Schedule.of(answer.about("name", name)));
    }

    /** A page of schedules; {@code after} is the {@link Page#next()} of the previous page, null for the first. */
    public Page list(@Nullable String after, int limit) {
        return transport.ask(
                new Query(PATH).with("after", after).with("limit", limit).read(),
                page -> new Page(page.list("schedules", Schedule::of), page.optionalText("next")));
    }

    public Shown find(String name) {
        return transport.ask(Request.get(path(name)), Shown::of);
    }

    /** Deletes a schedule. Jobs that it started continue. */
    public void delete(String name) {
        transport.tell(Request.delete(path(name)));
    }

    /** Pauses a schedule: it does not fire until it is resumed. */
    public Schedule pause(String name) {
        return changed(name, "pause");
    }

    /** Resumes a schedule: it fires from the next moment on. */
    public Schedule resume(String name) {
        return changed(name, "resume");
    }

    /** Starts one of its jobs now. The same key again is the same job. */
    public Triggered trigger(String name, IdempotencyKey key) {
        return transport.ask(
                Request.post(path(name) + "/trigger", null).under(key.value()),
                started -> new Triggered(
                        started.about("key", key.value()).text("job_id", UUID::fromString), started.flag("duplicate")));
    }

    private Schedule changed(String name, String verb) {
        return transport.ask(
                Request.post(path(name) + "/" + verb, null), answer -> Schedule.of(answer.about("name", name)));
    }

    private static String path(String name) {
        return PATH + "/" + Query.encode(name);
    }
}
