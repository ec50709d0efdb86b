package dev.tallystick.engine.record;

import dev.tallystick.engine.model.Ending;
import dev.tallystick.engine.model.Guid;
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

/** Jobs that continued as new ones: which job of a chain is the newest, and what a job passes on to its successor. */
final class ContinuationStore {

    private static final String NEWEST = """
            select i.id as asked, n.id as newest
            from unnest(?::uuid[]) as i (id)
            left join tally.job j on j.id = i.id
            cross join lateral (
                select c.id
                from tally.job c
                where c.first_job = coalesce(j.first_job, i.id)
                order by c.run desc
                limit 1
            ) n
            where j.id is null
                or j.outcome = 'continued'
            """;

    // The old jobs are locked and about to close; the new ones were inserted a moment ago, and no other transaction
    // sees them.
    private static final String CARRY_ON = """
            with item as (
                select i.id, i.guid, o.id as old, coalesce(o.first_job, o.id) as first_job, coalesce(o.run, 0) + 1 as run,
                    o.mesh, o.priority, o.deadline, o.parent_job, o.parent_guid, o.parent_path, o.parent_name
                from unnest(?::uuid[], ?::uuid[], ?::uuid[]) as i (old, id, guid)
                join tally.job o on o.id = i.old
            ),
            linked as (
                update tally.job j
                set first_job = i.first_job, run = i.run, priority = i.priority, deadline = i.deadline,
                    parent_job = i.parent_job, parent_guid = i.parent_guid,
                    parent_path = i.parent_path, parent_name = i.parent_name
                from item i
                where j.id = i.id
            ),
            handed_over as (
                update tally.job j
                set parent_job = null, parent_guid = null, parent_path = null, parent_name = null
                from item i
                where j.id = i.old
                    and j.parent_job is not null
            ),
            ranked as (
                update tally.posting p
                set priority = i.priority
                from item i
                where p.job_id = i.id
            ),
            told as (
                update tally.signal s
                set first_job = i.first_job,
                    job_id = case when s.taken_by is null then i.id else s.job_id end
                from item i
                where s.job_id = i.old
            )
            insert into tally.posting (job_id, guid, mesh, queue, priority, visible_at, path, name)
            select id, guid, mesh, '$engine', 0, deadline, '', '$timeout'
            from item
            where deadline is not null
            """;

    /** The newest job for each of these that continued as a new one, even if the old job has been deleted since. */
    Map<JobId, JobId> newest(Tx tx, Collection<JobId> jobs) throws SQLException {
        Map<JobId, JobId> newest = new HashMap<>();
        tx.query(
                NEWEST,
                row -> newest.put(
                        new JobId(row.getObject("asked", UUID.class)), new JobId(row.getObject("newest", UUID.class))),
                (Object) jobs.stream().map(JobId::value).toArray(UUID[]::new));
        return newest;
    }

    /** Passes on the place in the chain, the waiting parent, the time-out, and the signals not taken yet. */
    void carryOn(Tx tx, List<NewJob> successors) throws SQLException {
        Columns<NewJob> of = new Columns<>(successors);
        tx.update(
                CARRY_ON,
                of.uuids(job ->
                        job.continuedFrom() == null ? null : job.continuedFrom().value()),
                of.uuids(job -> job.id().value()),
                of.uuids(job -> Guid.of(Ending.TIMEOUT.of(job.id()), 0).value()));
    }
}
