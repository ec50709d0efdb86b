package dev.tallystick.engine.record;

import dev.tallystick.engine.model.Ending;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.LedgerSql;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Counts the claims of bodies whose previous holder never came back. The code of a body between two steps is the Leg 1 of the
 * next step, and may kill its process; so the count commits with the lease, before any of that code runs. A body that was
 * parked or released did come back and is not counted.
 */
public final class LostExecutionStore {

    private static final String COUNT = LedgerSql.in("""
            update tally.activity a
            set ledger = a.ledger + {LEG1_ATTEMPTS}
            where a.job_id = any(?)
                and a.path = ''
                and a.name = '$main'
                and a.ledger / {LEG1_ATTEMPTS} < 999
            returning a.job_id
            """);

    private static final String END_EXHAUSTED = """
            insert into tally.posting (job_id, guid, mesh, queue, priority, visible_at, path, name)
            select j.id, i.guid, j.mesh, '$engine', 0, now(), '', '$exhausted'
            from unnest(?::uuid[], ?::uuid[]) as i (job_id, guid)
            join tally.job j on j.id = i.job_id
            where j.closed_by is null
            on conflict (job_id, guid) do nothing
            """;

    /** Counts one more claim of each body, and returns the bodies whose counter was not full. */
    public Set<JobId> count(Tx tx, List<JobId> jobs) throws SQLException {
        UUID[] ids = jobs.stream().map(JobId::value).toArray(UUID[]::new);
        return new HashSet<>(tx.query(COUNT, row -> new JobId(row.getObject("job_id", UUID.class)), (Object) ids));
    }

    /** The counter never wraps: a transition of its own ends the job of a body that was claimed too often. */
    public void endExhausted(Tx tx, List<JobId> jobs) throws SQLException {
        Columns<JobId> of = new Columns<>(jobs);
        tx.update(
                END_EXHAUSTED,
                of.uuids(JobId::value),
                of.uuids(job -> Guid.of(Ending.EXHAUSTED.of(job), 0).value()));
    }
}
