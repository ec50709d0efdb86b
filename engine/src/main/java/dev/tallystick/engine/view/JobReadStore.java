package dev.tallystick.engine.view;

import dev.tallystick.core.ActivityLedger;
import dev.tallystick.core.Priority;
import dev.tallystick.engine.model.LostBranch;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.LastError;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Jobs and activities, for display. */
final class JobReadStore {

    /** The columns that a {@link JobInfo} is read from; {@code j} is the job. */
    static final String COLUMNS = """
            select j.id, j.mesh, j.workflow, j.version, j.priority, j.outcome, j.error, j.created_at, j.closed_at,
                j.parent_job, j.continued_from,
                array(select a.name from tally.attribute a where a.job_id = j.id order by a.name) as names,
                array(select a.value from tally.attribute a where a.job_id = j.id order by a.name) as held
            """;

    private static final String JOB = COLUMNS + """
            from tally.job j
            where j.id = ?
                and j.mesh = ?
            """;

    private static final String ACTIVITIES = """
            select a.path, a.name, a.kind, a.ledger, a.attempts, a.error, a.entered_at, g.returned_at
            from tally.job j
            join tally.activity a on a.job_id = j.id
            left join (
                select path, name, min(entered_at) as returned_at
                from tally.guid
                where job_id = ?
                group by path, name
            ) g on g.path = a.path and g.name = a.name
            where j.id = ?
                and j.mesh = ?
                and (?::text is null or (a.entered_at, a.path, a.name) > (
                    select l.entered_at, l.path, l.name
                    from tally.activity l
                    where l.job_id = j.id and l.path = ? and l.name = ?
                ))
            order by a.entered_at, a.path, a.name
            limit ?
            """;

    // A body that fails because a step failed has no stack trace of its own, and the error of a body whose job had
    // closed is not new. Branches that ended because another one won have not failed.
    private static final String LAST_ERROR = """
            select a.path, a.name, a.error, a.failed_at, a.stack_trace
            from tally.activity a
            join tally.job j on j.id = a.job_id
            where a.job_id = ?
                and j.mesh = ?
                and a.error <> ?
                and a.kind <> 'end'
                and (a.failed_at is not null or a.name <> '$main')
            order by a.failed_at desc nulls last, a.entered_at desc
            limit 1
            """;

    /** An error without its stack trace, and the stack trace as the codec wrote it. */
    record KeptError(LastError error, byte @Nullable [] stackTrace) {}

    Optional<KeptError> lastError(Tx tx, String mesh, JobId id) throws SQLException {
        return tx.first(
                LAST_ERROR,
                row -> new KeptError(
                        new LastError(
                                row.getString("path"),
                                row.getString("name"),
                                row.getString("error"),
                                Tx.instant(row, "failed_at"),
                                null),
                        row.getBytes("stack_trace")),
                id.value(),
                mesh,
                LostBranch.ERROR);
    }

    Optional<JobInfo> job(Tx tx, String mesh, JobId id) throws SQLException {
        return tx.first(JOB, JobReadStore::info, id.value(), mesh);
    }

    List<ActivityInfo> activities(Tx tx, String mesh, JobId id, ActivityInfo.@Nullable Place after, int limit)
            throws SQLException {
        return tx.query(
                ACTIVITIES,
                row -> new ActivityInfo(
                        row.getString("path"),
                        row.getString("name"),
                        row.getString("kind"),
                        new ActivityLedger(row.getLong("ledger")).digits(),
                        row.getInt("attempts"),
                        row.getString("error"),
                        Objects.requireNonNull(Tx.instant(row, "entered_at")),
                        Tx.instant(row, "returned_at")),
                id.value(),
                id.value(),
                mesh,
                after == null ? null : after.path(),
                after == null ? null : after.path(),
                after == null ? null : after.name(),
                limit);
    }

    static JobInfo info(ResultSet row) throws SQLException {
        String outcome = row.getString("outcome");
        return new JobInfo(
                new JobId(row.getObject("id", UUID.class)),
                row.getString("mesh"),
                row.getString("workflow"),
                row.getInt("version"),
                Priority.ofTurn(row.getInt("priority")),
                outcome == null ? null : JobOutcome.of(outcome),
                row.getString("error"),
                Objects.requireNonNull(Tx.instant(row, "created_at")),
                Tx.instant(row, "closed_at"),
                job(row, "parent_job"),
                job(row, "continued_from"),
                attributes(row));
    }

    private static Map<String, String> attributes(ResultSet row) throws SQLException {
        String[] names = (String[]) row.getArray("names").getArray();
        String[] values = (String[]) row.getArray("held").getArray();
        Map<String, String> attributes = new LinkedHashMap<>();
        for (int i = 0; i < names.length; i++) {
            attributes.put(names[i], values[i]);
        }
        return attributes;
    }

    private static @Nullable JobId job(ResultSet row, String column) throws SQLException {
        UUID id = row.getObject(column, UUID.class);
        return id == null ? null : new JobId(id);
    }
}
