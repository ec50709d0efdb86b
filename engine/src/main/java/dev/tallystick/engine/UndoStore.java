package dev.tallystick.engine;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** What undos need beside the ledgers. The caller has locked the jobs, and the postings of their bodies. */
final class UndoStore {

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

    // Whoever held the body has lost it; but it may still be at a step until its lease is over.
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

    /** Those of the jobs that have something to undo, and whether that is under way already. */
    Map<JobId, Boolean> registered(Tx tx, Collection<JobId> jobs) throws SQLException {
        Map<JobId, Boolean> registered = new HashMap<>();
        tx.query(
                REGISTERED,
                row -> registered.put(new JobId(row.getObject("job_id", UUID.class)), row.getBoolean("under_way")),
                (Object) ids(jobs));
        return registered;
    }

    /** Whatever was open, one obligation is left, and that is to undo. */
    void leaveOne(Tx tx, Collection<JobId> jobs) throws SQLException {
        tx.update(LEAVE_ONE, (Object) ids(jobs));
    }

    /** Takes the bodies away from whoever runs them. Each may be leased when the lease that is lost would have ended. */
    void takeAway(Tx tx, Collection<JobId> jobs) throws SQLException {
        tx.update(TAKE_AWAY, (Object) ids(jobs));
    }

    /** Whoever ran the body has stopped: if it was taken away to be undone, that need not wait for the end of its lease. */
    int letBegin(Tx tx, JobId job) throws SQLException {
        return tx.update(LET_BEGIN, job.value());
    }

    private static UUID[] ids(Collection<JobId> jobs) {
        return jobs.stream().map(JobId::value).toArray(UUID[]::new);
    }
}
