package dev.tallystick.engine.schedule;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.Priority;
import dev.tallystick.keys.Scope;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The schedule table. One method is one statement; the caller owns the transaction. */
final class ScheduleStore {

    // Every process saves its schedules when it starts. An unchanged schedule keeps its next moment, so a moment missed
    // while all processes were down is still due.
    private static final String SAVE = """
            insert into tally.schedule as s
                (mesh, name, member, workflow, cron, zone, input, fingerprint, priority, next_at)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            on conflict (mesh, name) do update
            set member = excluded.member,
                workflow = excluded.workflow,
                cron = excluded.cron,
                zone = excluded.zone,
                input = excluded.input,
                fingerprint = excluded.fingerprint,
                priority = excluded.priority,
                next_at = case
                    when s.cron = excluded.cron and s.zone = excluded.zone then s.next_at
                    else excluded.next_at
                end
            """;

    private static final String COLUMNS = """
            select mesh, name, member, workflow, cron, zone, input, fingerprint, priority,
                next_at, paused_at, fired_for, fired_job, trouble
            from tally.schedule
            """;

    private static final String READ = COLUMNS + "where mesh = ? and name = ?";

    private static final String LOCK = READ + " for update";

    private static final String LIST = COLUMNS + """
            where mesh = ?
                and (?::text is null or name > ?)
            order by name
            limit ?
            """;

    private static final String DUE = COLUMNS + """
            where paused_at is null
                and next_at <= ?
                and (waits_until is null or waits_until <= ?)
                and workflow = any(?)
            order by next_at
            limit ?
            """;

    private static final String LOCK_DUE = COLUMNS + """
            where (mesh, name) in (select * from unnest(?::text[], ?::text[]))
                and paused_at is null
                and next_at <= ?
            for update skip locked
            """;

    private static final String NEXT = """
            select next_at
            from tally.schedule
            where paused_at is null
                and waits_until is null
                and workflow = any(?)
            order by next_at
            limit 1
            """;

    private static final String FIRED = """
            update tally.schedule
            set next_at = ?, fired_for = coalesce(?, fired_for), fired_job = coalesce(?, fired_job), trouble = ?,
                waits_until = null
            where mesh = ? and name = ?
            """;

    private static final String POSTPONE = """
            update tally.schedule
            set waits_until = ?, trouble = ?
            where mesh = ? and name = ?
            """;

    private static final String COUNT_OTHERS = """
            select count(*) filter (where member = ?) as of_member, count(*) as of_mesh
            from tally.schedule
            where mesh = ? and name <> ?
            """;

    private static final String PAUSE = """
            update tally.schedule
            set paused_at = coalesce(paused_at, now())
            where mesh = ? and name = ?
            """;

    private static final String RESUME = """
            update tally.schedule
            set paused_at = null, next_at = ?
            where mesh = ? and name = ?
            """;

    private static final String DELETE = """
            delete from tally.schedule
            where mesh = ? and name = ?
            """;

    /** A schedule and its state. */
    record Row(Schedule schedule, ScheduleView view) {}

    void save(Tx tx, Schedule schedule, Instant next) throws SQLException {
        tx.update(
                SAVE,
                schedule.scope().mesh(),
                schedule.name(),
                schedule.scope().member(),
                schedule.workflow(),
                schedule.cron().toString(),
                schedule.zone().getId(),
                schedule.input(),
                schedule.fingerprint().bytes(),
                schedule.priority().turn(),
                next);
    }

    Optional<Row> read(Tx tx, String mesh, String name) throws SQLException {
        return tx.first(READ, ScheduleStore::row, mesh, name);
    }

    Optional<Row> lock(Tx tx, String mesh, String name) throws SQLException {
        return tx.first(LOCK, ScheduleStore::row, mesh, name);
    }

    List<ScheduleView> list(Tx tx, String mesh, @Nullable String after, int limit) throws SQLException {
        return tx.query(LIST, row -> row(row).view(), mesh, after, after, limit);
    }

    /** The schedules that are due by {@code now}. */
    List<Row> due(Tx tx, Instant now, Set<String> workflows, int limit) throws SQLException {
        return tx.query(DUE, ScheduleStore::row, now, now, workflows.toArray(String[]::new), limit);
    }

    /** Locks the schedules that are still due and not locked by another process. */
    List<Row> lockDue(Tx tx, Instant now, Collection<Schedule> schedules) throws SQLException {
        String[] meshes =
                schedules.stream().map(schedule -> schedule.scope().mesh()).toArray(String[]::new);
        String[] names = schedules.stream().map(Schedule::name).toArray(String[]::new);
        return tx.query(LOCK_DUE, ScheduleStore::row, meshes, names, now);
    }

    /** When the next schedule fires, ignoring those that wait for their budget. */
    Optional<Instant> next(Tx tx, Set<String> workflows) throws SQLException {
        return tx.first(NEXT, row -> Objects.requireNonNull(Tx.instant(row, "next_at")), (Object)
                workflows.toArray(String[]::new));
    }

    /** @param moment the moment that it fired for, or null if it could not */
    void fired(
            Tx tx,
            Schedule schedule,
            Instant next,
            @Nullable Instant moment,
            @Nullable JobId job,
            @Nullable String trouble)
            throws SQLException {
        tx.update(
                FIRED,
                next,
                moment,
                job == null ? null : job.value(),
                trouble,
                schedule.scope().mesh(),
                schedule.name());
    }

    void postpone(Tx tx, Schedule schedule, Instant until, String why) throws SQLException {
        tx.update(POSTPONE, until, why, schedule.scope().mesh(), schedule.name());
    }

    Scheduler.Others countOthers(Tx tx, Scope scope, String name) throws SQLException {
        return tx.first(
                        COUNT_OTHERS,
                        row -> new Scheduler.Others(row.getLong("of_member"), row.getLong("of_mesh")),
                        scope.member(),
                        scope.mesh(),
                        name)
                .orElseThrow();
    }

    boolean pause(Tx tx, String mesh, String name) throws SQLException {
        return tx.update(PAUSE, mesh, name) == 1;
    }

    void resume(Tx tx, String mesh, String name, Instant next) throws SQLException {
        tx.update(RESUME, next, mesh, name);
    }

    boolean delete(Tx tx, String mesh, String name) throws SQLException {
        return tx.update(DELETE, mesh, name) == 1;
    }

    private static Row row(ResultSet row) throws SQLException {
        Schedule schedule = new Schedule(
                new Scope(row.getString("mesh"), row.getString("member")),
                row.getString("name"),
                row.getString("workflow"),
                Cron.parse(row.getString("cron")),
                ZoneId.of(row.getString("zone")),
                row.getBytes("input"),
                Fingerprint.of(row.getBytes("fingerprint")),
                Priority.ofTurn(row.getInt("priority")));
        ScheduleView view = new ScheduleView(
                schedule.name(),
                schedule.workflow(),
                schedule.cron(),
                schedule.zone(),
                Objects.requireNonNull(Tx.instant(row, "next_at")),
                row.getTimestamp("paused_at") != null,
                Optional.ofNullable(Tx.instant(row, "fired_for")),
                Optional.ofNullable(row.getObject("fired_job", UUID.class)).map(JobId::new),
                row.getString("trouble"));
        return new Row(schedule, view);
    }
}
