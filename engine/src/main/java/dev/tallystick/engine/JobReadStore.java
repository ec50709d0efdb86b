package dev.tallystick.engine;

import dev.tallystick.core.ActivityLedger;
import dev.tallystick.core.Priority;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Jobs and activities, as they are shown. */
final class JobReadStore {

    private static final String JOB = """
            select id, mesh, workflow, version, priority, outcome, error, created_at, closed_at, parent_job, continued_from
            from tally.job
            where id = ?
            """;

    private static final String LIST = """
            select id, mesh, workflow, version, priority, outcome, error, created_at, closed_at, parent_job, continued_from
            from tally.job
            where mesh = ?
                and (?::text is null or workflow = ?)
                and (?::text is null or coalesce(outcome, 'open') = ?)
                and (?::uuid is null or id < ?)
            order by id desc
            limit ?
            """;

    private static final String ACTIVITIES = """
            select a.path, a.name, a.kind, a.ledger, a.attempts, a.error, a.entered_at,
                (select min(g.entered_at) from tally.guid g
                    where g.job_id = a.job_id and g.path = a.path and g.name = a.name) as returned_at
            from tally.activity a
            where a.job_id = ?
            order by a.entered_at, a.path, a.name
            """;

    Optional<JobInfo> job(Tx tx, JobId id) throws SQLException {
        return tx.first(JOB, JobReadStore::info, id.value());
    }

    List<JobInfo> list(Tx tx, JobReader.Selection wanted) throws SQLException {
        UUID before = wanted.before() == null ? null : wanted.before().value();
        return tx.query(
                LIST,
                JobReadStore::info,
                wanted.mesh(),
                wanted.workflow(),
                wanted.workflow(),
                wanted.status(),
                wanted.status(),
                before,
                before,
                wanted.limit());
    }

    List<ActivityInfo> activities(Tx tx, JobId id) throws SQLException {
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
                id.value());
    }

    private static JobInfo info(ResultSet row) throws SQLException {
        String outcome = row.getString("outcome");
        return new JobInfo(
                new JobId(row.getObject("id", UUID.class)),
                row.getString("mesh"),
                row.getString("workflow"),
                row.getInt("version"),
                priority(row.getInt("priority")),
                outcome == null ? null : JobOutcome.of(outcome),
                row.getString("error"),
                Objects.requireNonNull(Tx.instant(row, "created_at")),
                Tx.instant(row, "closed_at"),
                job(row, "parent_job"),
                job(row, "continued_from"));
    }

    private static Priority priority(int turn) {
        return Arrays.stream(Priority.values())
                .filter(priority -> priority.turn() == turn)
                .findFirst()
                .orElseThrow();
    }

    private static @Nullable JobId job(ResultSet row, String column) throws SQLException {
        UUID id = row.getObject(column, UUID.class);
        return id == null ? null : new JobId(id);
    }
}
