package dev.tallystick.engine.view;

import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/**
 * Reports the end of each job once. If the workflow is watched when a job ends, the transaction that ends the job keeps its end
 * until a watcher takes it. A watcher that takes ends in the same transaction that passes them on loses and repeats none.
 *
 * <p>One method is one statement; the caller owns the transaction.
 */
public final class JobCompletionStore {

    private static final String WATCH = """
            insert into tally.end_watch (mesh, workflow, watcher)
            values (?, ?, ?)
            on conflict do nothing
            """;

    private static final String UNWATCH = """
            delete from tally.end_watch
            where watcher = ?
            """;

    // Drops continued jobs, which have not ended, and jobs that retention has deleted, which cannot be reported.
    private static final String TAKE = """
            with next as (
                select job_id
                from tally.ended_job
                order by job_id
                limit ?
                for update skip locked
            ),
            taken as (
                delete from tally.ended_job e
                using next n
                where e.job_id = n.job_id
                returning e.job_id
            )
            select j.id, coalesce(j.first_job, j.id) as first_job, j.mesh, j.workflow, j.version, j.outcome, j.error,
                j.closed_at
            from taken t
            join tally.job j on j.id = t.job_id
            where j.outcome <> 'continued'
            order by j.closed_at, j.id
            """;

    /** Keeps the ends of the workflow's jobs from now on. */
    public void watch(Tx tx, String watcher, String mesh, String workflow) throws SQLException {
        tx.update(WATCH, mesh, workflow, watcher);
    }

    /** Stops keeping ends for this watcher. */
    public void unwatch(Tx tx, String watcher) throws SQLException {
        tx.update(UNWATCH, watcher);
    }

    /** Takes ends that no other transaction is taking. */
    public List<JobCompletion> take(Tx tx, int limit) throws SQLException {
        return tx.query(TAKE, JobCompletionStore::end, limit);
    }

    private static JobCompletion end(ResultSet row) throws SQLException {
        return new JobCompletion(
                new JobId(row.getObject("id", UUID.class)),
                new JobId(row.getObject("first_job", UUID.class)),
                row.getString("mesh"),
                row.getString("workflow"),
                row.getInt("version"),
                JobOutcome.of(row.getString("outcome")),
                row.getString("error"),
                Objects.requireNonNull(Tx.instant(row, "closed_at")));
    }
}
