package dev.tallystick.engine.record;

import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.Person;
import dev.tallystick.workflow.TaskId;
import dev.tallystick.workflow.TaskView;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The task table. One method is one statement; the caller owns the transaction. */
public final class TaskStore {

    private static final String OPEN = """
            insert into tally.task (id, job_id, mesh, name, group_name, assignee, claimed_at, details, due_at)
            select id, job_id, mesh, name, group_name, person, case when person is not null then now() end, details,
                now() + due_millis * interval '1 millisecond'
            from unnest(
                ?::uuid[], ?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[], ?::bytea[], ?::bigint[]
            ) as i (id, job_id, mesh, name, group_name, person, details, due_millis)
            on conflict (id) do nothing
            """;

    private static final String ESCALATE = """
            update tally.task t
            set group_name = i.group_name, assignee = null, claimed_at = null, escalations = t.escalations + 1,
                due_at = now() + i.due_millis * interval '1 millisecond'
            from unnest(?::uuid[], ?::text[], ?::bigint[]) as i (id, group_name, due_millis)
            where t.id = i.id
                and t.resolved_at is null
                and t.expired_at is null
            returning t.id
            """;

    private static final String LOCK_ALL = """
            select id
            from tally.task
            where id = any(?)
            order by id
            for update
            """;

    private static final String LOCK_FREE = LOCK_ALL + " skip locked";

    private static final String EXPIRE = """
            update tally.task
            set expired_at = now()
            where id = any(?)
                and resolved_at is null
                and expired_at is null
            """;

    private static final String COLUMNS = """
            select t.id, t.job_id, t.name, t.group_name, t.assignee, t.claimed_at, t.details, t.escalations, t.asked_at, t.due_at,
                t.resolved_at, t.resolved_by, t.resolve_key, t.expired_at, j.closed_by is not null as job_closed
            from tally.task t
            join tally.job j on j.id = t.job_id
            """;

    private static final String READ = COLUMNS + """
            where t.id = ? and t.mesh = ?
            """;

    private static final String LOCK = READ + "for update of t";

    private static final String AFTER = """
                and t.resolved_at is null
                and t.expired_at is null
                and j.closed_by is null
                and (?::uuid is null or (t.asked_at, t.id) > (
                    select a.asked_at, a.id from tally.task a where a.id = ? and a.mesh = t.mesh
                ))
            order by t.asked_at, t.id
            limit ?
            """;

    private static final String ALL = COLUMNS + "where t.mesh = ?\n" + AFTER;

    private static final String OF_GROUP = COLUMNS + "where t.mesh = ? and t.group_name = ?\n" + AFTER;

    private static final String HELD_BY = COLUMNS + """
            where t.mesh = ?
                and t.assignee in (?, ?)
                and (t.assignee = ? or t.claimed_at >= ?)
            """ + AFTER;

    private static final String ASSIGN = """
            update tally.task
            set assignee = ?::text, claimed_at = case when ?::text is not null then now() end
            where id = ?
            """;

    private static final String HAND_ON = """
            update tally.task
            set group_name = ?, assignee = null, claimed_at = null, escalations = escalations + 1
            where id = ?
            """;

    private static final String RESOLVE = """
            update tally.task
            set resolved_at = now(), resolved_by = ?, resolve_key = ?
            where id = ?
            """;

    /**
     * A task, and how it ended if it did.
     *
     * @param claimedAt when it was claimed, or null
     * @param resolveKey the key under which it was resolved, or null
     * @param over how it ended, or null while it is open
     */
    public record Row(
            TaskView view,
            @Nullable Instant claimedAt,
            @Nullable String resolveKey,
            @Nullable String over) {

        /** The holder, unless the task is unclaimed or held by this person. */
        public Optional<String> holderOtherThan(Person person) {
            return view.assignee().filter(holder -> !person.is(holder, Objects.requireNonNull(claimedAt)));
        }
    }

    /**
     * A task to be created.
     *
     * @param group whose members may claim it, or null
     * @param person who holds it from the beginning, or null
     * @param due when it escalates or expires, counted from now; null if it does neither
     */
    public record Asked(
            TaskId id,
            JobId job,
            String mesh,
            String name,
            @Nullable String group,
            @Nullable String person,
            byte[] details,
            @Nullable Duration due) {}

    /**
     * A task that passes to another group.
     *
     * @param due when it escalates further or expires, counted from now; null if it does neither
     */
    public record Escalated(
            TaskId task, JobId job, String group, @Nullable Duration due) {

        @Nullable
        public Long dueMillis() {
            return due == null ? null : due.toMillis();
        }
    }

    public void open(Tx tx, List<Asked> asked) throws SQLException {
        Columns<Asked> of = new Columns<>(asked);
        tx.update(
                OPEN,
                of.uuids(each -> each.id().value()),
                of.uuids(each -> each.job().value()),
                of.texts(Asked::mesh),
                of.texts(Asked::name),
                of.texts(Asked::group),
                of.texts(Asked::person),
                of.bytes(Asked::details),
                of.optionalLongs(each -> each.due() == null ? null : each.due().toMillis()));
    }

    /** Returns the tasks that were still open. */
    public Set<TaskId> escalate(Tx tx, List<Escalated> escalated) throws SQLException {
        Columns<Escalated> of = new Columns<>(escalated);
        return new HashSet<>(tx.query(
                ESCALATE,
                TaskStore::id,
                of.uuids(each -> each.task().value()),
                of.texts(Escalated::group),
                of.optionalLongs(Escalated::dueMillis)));
    }

    /** Returns how many were still open. */
    public int expire(Tx tx, List<TaskId> ids) throws SQLException {
        return tx.update(EXPIRE, (Object) values(ids));
    }

    /**
     * Locks tasks in the global lock order.
     *
     * @param wait whether to wait for tasks that are already locked
     * @return the tasks that are now locked
     */
    public Set<TaskId> lock(Tx tx, List<TaskId> ids, boolean wait) throws SQLException {
        return new HashSet<>(tx.query(wait ? LOCK_ALL : LOCK_FREE, TaskStore::id, (Object) values(ids)));
    }

    private static UUID[] values(List<TaskId> ids) {
        return ids.stream().map(TaskId::value).toArray(UUID[]::new);
    }

    private static TaskId id(ResultSet row) throws SQLException {
        return new TaskId(row.getObject("id", UUID.class));
    }

    public Optional<Row> lock(Tx tx, String mesh, TaskId id) throws SQLException {
        return tx.first(LOCK, TaskStore::row, id.value(), mesh);
    }

    public Optional<Row> read(Tx tx, String mesh, TaskId id) throws SQLException {
        return tx.first(READ, TaskStore::row, id.value(), mesh);
    }

    public List<TaskView> all(Tx tx, String mesh, @Nullable TaskId after, int limit) throws SQLException {
        UUID last = after == null ? null : after.value();
        return tx.query(ALL, row -> row(row).view(), mesh, last, last, limit);
    }

    public List<TaskView> ofGroup(Tx tx, String mesh, String group, @Nullable TaskId after, int limit)
            throws SQLException {
        UUID last = after == null ? null : after.value();
        return tx.query(OF_GROUP, row -> row(row).view(), mesh, group, last, last, limit);
    }

    public List<TaskView> heldBy(Tx tx, String mesh, Person person, @Nullable TaskId after, int limit)
            throws SQLException {
        UUID last = after == null ? null : after.value();
        return tx.query(
                HELD_BY,
                row -> row(row).view(),
                mesh,
                person.id(),
                person.name(),
                person.id(),
                person.since(),
                last,
                last,
                limit);
    }

    public void assign(Tx tx, TaskId id, @Nullable String person) throws SQLException {
        tx.update(ASSIGN, person, person, id.value());
    }

    public void handOn(Tx tx, TaskId id, String group) throws SQLException {
        tx.update(HAND_ON, group, id.value());
    }

    public void resolve(Tx tx, TaskId id, String person, String key) throws SQLException {
        tx.update(RESOLVE, person, key, id.value());
    }

    private static Row row(ResultSet row) throws SQLException {
        TaskView view = new TaskView(
                id(row),
                new JobId(row.getObject("job_id", UUID.class)),
                row.getString("name"),
                Optional.ofNullable(row.getString("group_name")),
                Optional.ofNullable(row.getString("assignee")),
                row.getBytes("details"),
                row.getInt("escalations"),
                Objects.requireNonNull(Tx.instant(row, "asked_at")),
                Optional.ofNullable(Tx.instant(row, "due_at")));
        return new Row(view, Tx.instant(row, "claimed_at"), row.getString("resolve_key"), over(row));
    }

    private static @Nullable String over(ResultSet row) throws SQLException {
        if (row.getString("resolved_by") != null) {
            return "was resolved by " + row.getString("resolved_by") + " at " + Tx.instant(row, "resolved_at");
        }
        if (row.getTimestamp("expired_at") != null) {
            return "expired at " + Tx.instant(row, "expired_at");
        }
        return row.getBoolean("job_closed") ? "ended with its job" : null;
    }
}
