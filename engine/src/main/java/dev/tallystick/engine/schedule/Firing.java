package dev.tallystick.engine.schedule;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.engine.record.JobAcceptor;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.workflow.Attribute;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a due schedule leads to: a job, a postponement, or only a reason why not. It is built before the transaction that fires
 * the schedule, because creating a job calls user code.
 *
 * @param due the schedule as read at {@code now}
 * @param now when the schedule was read
 * @param waitsUntil when to try again for the same moment
 * @param trouble why there is no job
 */
record Firing(
        ScheduleStore.Row due,
        Instant now,
        JobAcceptor.@Nullable Item job,
        @Nullable Instant waitsUntil,
        @Nullable String trouble) {

    /** A firing with nothing decided yet. */
    static Firing of(ScheduleStore.Row due, Instant now) {
        return new Firing(due, now, null, null, null);
    }

    Firing with(JobAcceptor.Item made) {
        return new Firing(due, now, made, null, null);
    }

    Firing hopeless(String why) {
        return new Firing(due, now, null, null, "could not fire for " + moment() + ": " + why);
    }

    Firing postponed(Duration wait) {
        Instant until = now.plus(wait);
        String why = "waits until " + until + " to fire for " + moment()
                + ": its member or the mesh has used up the budget for jobs and requests";
        return new Firing(due, now, null, until, why);
    }

    boolean isPostponed() {
        return waitsUntil != null;
    }

    Schedule schedule() {
        return due.schedule();
    }

    /** The moment it fires for: the latest one that has passed. */
    Instant moment() {
        return schedule().cron().lastUntil(due.view().nextAt(), now, schedule().zone());
    }

    /** The next moment. */
    Instant next() {
        return schedule().cron().next(now, schedule().zone());
    }

    ScopedKey key() {
        return new ScopedKey(
                schedule().scope(), new IdempotencyKey("schedule:" + schedule().name() + ":" + moment()));
    }

    List<Attribute> attributes() {
        return List.of(
                new Attribute("schedule", schedule().name()), new Attribute("scheduled_for", moment().toString()));
    }

    /** Whether the schedule is still the one that this was built from. */
    boolean isOf(ScheduleStore.Row today) {
        return today.view().nextAt().equals(due.view().nextAt())
                && today.schedule().name().equals(schedule().name())
                && today.schedule().scope().equals(schedule().scope())
                && today.schedule().fingerprint().equals(schedule().fingerprint());
    }
}
