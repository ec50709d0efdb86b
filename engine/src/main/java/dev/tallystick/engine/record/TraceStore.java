package dev.tallystick.engine.record;

import dev.tallystick.engine.model.NewJob;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The traces that jobs belong to. One method is one statement; the caller owns the transaction. */
public final class TraceStore {

    /** How many levels up to search for the job that came with a trace context. */
    private static final int DEEPEST = 100;

    // Some of the jobs may not have been started, because their keys were already bound to other jobs.
    private static final String KEEP = """
            insert into tally.job_trace (job_id, traceparent)
            select i.job_id, i.traceparent
            from unnest(?::uuid[], ?::text[]) as i (job_id, traceparent)
            join tally.job j on j.id = i.job_id
            on conflict (job_id) do nothing
            """;

    private static final String OF = """
            with recursive up (asked, job_id, height) as (
                select i.job_id, i.job_id, 0
                from unnest(?::uuid[]) as i (job_id)
                union all
                select u.asked, coalesce(j.parent_job, j.continued_from), u.height + 1
                from up u
                join tally.job j on j.id = u.job_id
                where u.height < ?
                    and not exists (select from tally.job_trace t where t.job_id = u.job_id)
            )
            select u.asked, t.traceparent
            from up u
            join tally.job_trace t on t.job_id = u.job_id
            """;

    void keep(Tx tx, List<NewJob> traced) throws SQLException {
        Columns<NewJob> of = new Columns<>(traced);
        tx.update(KEEP, of.uuids(job -> job.id().value()), of.texts(NewJob::traceParent));
    }

    /** The trace contexts of the jobs that have one: their own, or that of their nearest parent or predecessor. */
    public Map<JobId, String> of(Tx tx, Collection<JobId> jobs) throws SQLException {
        Map<JobId, String> found = new HashMap<>();
        tx.query(
                OF,
                row -> found.put(new JobId(row.getObject("asked", UUID.class)), row.getString("traceparent")),
                jobs.stream().map(JobId::value).distinct().toArray(UUID[]::new),
                DEEPEST);
        return found;
    }
}
