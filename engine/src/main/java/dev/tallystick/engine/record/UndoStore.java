package dev.tallystick.engine.record;

import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** The statements that undos need beyond the ledgers. The caller has locked the jobs and the postings of their bodies. */
public final class UndoStore {

    private static final String REGISTERED = """
            select job_id, bool_or(kind = 'undoing') as under_way
            from tally.activity
            where job_id = any(?)
                and kind in ('undo', 'undoing')
            group by job_id
            """;

    private static final String LEAVE_ONE = """
            update tally.job
            set semaphore = 1
            where id = any(?)
                and closed_by is null
            """;

    // The holder has lost the body, but it may still be running a step until its lease expires.
    private static final String TAKE_AWAY = """
            update tally.posting
            set fence = fence + 1, owner = null
            where job_id = any(?)
                and name = '$main'
                and owner is not null
            """;

    private static final String LET_BEGIN = """
            update tally.posting p
            set visible_at = now()
            where p.job_id = ?
                and p.name = '$main'
                and p.owner is null
                and exists (select 1 from tally.activity a where a.job_id = p.job_id and a.path = '' and a.name = '$undo')
            """;

    /** The jobs that have something to undo, and whether undoing is already under way. */
    public Map<JobId, Boolean> registered(Tx tx, Collection<JobId> jobs) throws SQLException {
        Map<JobId, Boolean> registered = new HashMap<>();
        tx.query(
                REGISTERED,
                row -> registered.put(new JobId(row.getObject("job_id", UUID.class)), row.getBoolean("under_way")),
                (Object) ids(jobs));
        return registered;
    }

    /** Whatever was open, leaves a single obligation: to undo. */
    public void reduceToUndo(Tx tx, Collection<JobId> jobs) throws SQLException {
        tx.update(LEAVE_ONE, (Object) ids(jobs));
    }

    /** Takes the bodies away from their holders. Each can be leased again when the lost lease would have expired. */
    public void takeAway(Tx tx, Collection<JobId> jobs) throws SQLException {
        tx.update(TAKE_AWAY, (Object) ids(jobs));
    }

    /**
     * The body's former holder has stopped: if the body was taken away to be undone, the undo need not wait for that lease to
     * expire.
     */
    public int releaseForUndo(Tx tx, JobId job) throws SQLException {
        return tx.update(LET_BEGIN, job.value());
    }

    private static UUID[] ids(Collection<JobId> jobs) {
        return jobs.stream().map(JobId::value).toArray(UUID[]::new);
    }
}
