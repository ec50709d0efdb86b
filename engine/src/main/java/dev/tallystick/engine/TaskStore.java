package dev.tallystick.engine;

import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The task table. One method is one statement; the caller owns the transaction. */
final class TaskStore {

    private static final String OPEN = """
            insert into tally.task (id, job_id, mesh, name, group_name, assignee, claimed_at, details, due_at)
            values (?, ?, ?, ?, ?, ?::text, case when ?::text is not null then now() end, ?,
                now() + ?::bigint * interval '1 millisecond')
            on conflict (id) do nothing
            """;

    private static final String ESCALATE = """
            update tally.task
            set group_name = ?, assignee = null, claimed_at = null, escalations = escalations + 1,
                due_at = now() + ?::bigint * interval '1 millisecond'
            where id = ?
                and resolved_at is null
                and expired_at is null
            """;

    private static final String EXPIRE = """
            update tally.task
            set expired_at = now()
            where id = ?
                and resolved_at is null
                and expired_at is null
            """;

    private static final String COLUMNS = """
            select t.id, t.job_id, t.name, t.group_name, t.assignee, t.details, t.escalations, t.asked_at, t.due_at,
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
                and (?::uuid is null or (t.asked_at, t.id) > (select a.asked_at, a.id from tally.task a where a.id = ?))
            order by t.asked_at, t.id
            limit ?
            """;

    private static final String ALL = COLUMNS + "where t.mesh = ?\n" + AFTER;

    private static final String OF_GROUP = COLUMNS + "where t.mesh = ? and t.group_name = ?\n" + AFTER;

    private static final String HELD_BY = COLUMNS + "where t.mesh = ? and t.assignee = ?\n" + AFTER;

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
     * @param resolveKey under which it was resolved, or null
     * @param over how it ended, or null while it is open
     */
    record Row(
            TaskView view,
            @Nullable String resolveKey,
            @Nullable String over) {}

    void open(Tx tx, TaskId id, JobId job, String mesh, String name, Ask ask, byte[] details, @Nullable Duration due)
            throws SQLException {
        tx.update(
                OPEN,
                id.value(),
                job.value(),
                mesh,
                name,
                ask.group(),
                ask.person(),
                ask.person(),
                details,
                due == null ? null : due.toMillis());
    }

    /** Returns whether it was still open. */
    boolean escalate(Tx tx, TaskId id, String group, @Nullable Duration due) throws SQLException {
        return tx.update(ESCALATE, group, due == null ? null : due.toMillis(), id.value()) == 1;
    }

    /** Returns whether it was still open. */
    boolean expire(Tx tx, TaskId id) throws SQLException {
        return tx.update(EXPIRE, id.value()) == 1;
    }

    Optional<Row> lock(Tx tx, String mesh, TaskId id) throws SQLException {
        return tx.first(LOCK, TaskStore::row, id.value(), mesh);
    }

    Optional<Row> read(Tx tx, String mesh, TaskId id) throws SQLException {
        return tx.first(READ, TaskStore::row, id.value(), mesh);
    }

    List<TaskView> all(Tx tx, String mesh, @Nullable TaskId after, int limit) throws SQLException {
        UUID last = after == null ? null : after.value();
        return tx.query(ALL, row -> row(row).view(), mesh, last, last, limit);
    }

    List<TaskView> ofGroup(Tx tx, String mesh, String group, @Nullable TaskId after, int limit) throws SQLException {
        return open(tx, OF_GROUP, mesh, group, after, limit);
    }

    List<TaskView> heldBy(Tx tx, String mesh, String person, @Nullable TaskId after, int limit) throws SQLException {
        return open(tx, HELD_BY, mesh, person, after, limit);
    }

    private static List<TaskView> open(
            Tx tx, String statement, String mesh, String whose, @Nullable TaskId after, int limit) throws SQLException {
        UUID last = after == null ? null : after.value();
        return tx.query(statement, row -> row(row).view(), mesh, whose, last, last, limit);
    }

    void assign(Tx tx, TaskId id, @Nullable String person) throws SQLException {
        tx.update(ASSIGN, person, person, id.value());
    }

    void handOn(Tx tx, TaskId id, String group) throws SQLException {
        tx.update(HAND_ON, group, id.value());
    }

    void resolve(Tx tx, TaskId id, String person, String key) throws SQLException {
        tx.update(RESOLVE, person, key, id.value());
    }

    private static Row row(ResultSet row) throws SQLException {
        TaskView view = new TaskView(
                new TaskId(row.getObject("id", UUID.class)),
                new JobId(row.getObject("job_id", UUID.class)),
                row.getString("name"),
                Optional.ofNullable(row.getString("group_name")),
                Optional.ofNullable(row.getString("assignee")),
                row.getBytes("details"),
                row.getInt("escalations"),
                Objects.requireNonNull(Tx.instant(row, "asked_at")),
                Optional.ofNullable(Tx.instant(row, "due_at")));
        return new Row(view, row.getString("resolve_key"), over(row));
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
