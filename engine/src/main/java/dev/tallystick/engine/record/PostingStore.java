package dev.tallystick.engine.record;

import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Checkpoint;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LedgerSql;
import dev.tallystick.engine.model.Queues;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The posting table: its rows, their lease holders and their fences. One method is one statement. */
public final class PostingStore {

    private static final String HOLD_WITH_JOBS = """
            select p.job_id, p.fence, j.closed_by is not null as closed
            from unnest(?::uuid[], ?::uuid[]) as i (job_id, guid)
            join tally.posting p on p.job_id = i.job_id and p.guid = i.guid
            join tally.job j on j.id = i.job_id
            order by j.id
            for update of j, p
            """;

    private static final String HOLD_FREE_WITH_JOBS = HOLD_WITH_JOBS + " skip locked";

    private static final String HOLD_FREE = """
            with item as (
                select *
                from unnest(?::uuid[], ?::uuid[]) as i (job_id, guid)
            ),
            held as materialized (
                select p.job_id, p.guid
                from tally.posting p
                join item i on i.job_id = p.job_id and i.guid = p.guid
                order by p.job_id, p.guid
                for update of p skip locked
            )
            select p.job_id
            from item i
            join tally.posting p on p.job_id = i.job_id and p.guid = i.guid
            where not exists (
                select 1
                from held h
                where h.guid = p.guid
            )
            """;

    private static final String HOLD = """
            with item as (
                select *
                from unnest(?::uuid[], ?::uuid[]) as i (job_id, guid)
            ),
            held as materialized (
                select p.job_id, p.guid, p.fence
                from tally.posting p
                join item i on i.job_id = p.job_id and i.guid = p.guid
                order by p.job_id, p.guid
                for update of p
            )
            select h.job_id, h.guid, h.fence, j.closed_by is not null as closed
            from held h
            join tally.job j on j.id = h.job_id
            """;

    // A locked posting is being moved, most likely by its lease holder, so its lease stands. Waiting for the lock would
    // mean waiting for a batch that may itself wait for another of these postings.
    private static final String EXTEND = """
            with item as (
                select *
                from unnest(?::uuid[], ?::uuid[], ?::bigint[]) as i (job_id, guid, fence)
            ),
            free as materialized (
                select p.job_id, p.guid
                from item i
                join tally.posting p on p.job_id = i.job_id and p.guid = i.guid and p.fence = i.fence
                join tally.job j on j.id = i.job_id
                where p.owner is not null
                    and j.closed_by is null
                order by p.job_id, p.guid
                for update of p skip locked
            ),
            extended as (
                update tally.posting p
                set visible_at = now() + ? * interval '1 millisecond'
                from free f
                where p.job_id = f.job_id and p.guid = f.guid
            )
            select i.guid, j.closed_by is not null as closed
            from item i
            join tally.job j on j.id = i.job_id
            left join tally.posting p on p.job_id = i.job_id and p.guid = i.guid and p.fence = i.fence
            where p.owner is not null
                or j.closed_by is not null
            """;

    // A released lease does not count as an attempt. The fence stays: work that the former holder still has in flight
    // is refused once another process has leased the posting.
    private static final String RELEASE = """
            update tally.posting p
            set visible_at = now(), owner = null, attempts = greatest(p.attempts - 1, 0)
            from unnest(?::uuid[], ?::uuid[], ?::bigint[]) as i (job_id, guid, fence)
            where p.job_id = i.job_id and p.guid = i.guid and p.fence = i.fence
            """;

    // The previous statement locked the posting. A transaction that completes an awaited activity, or ends the job,
    // also locks it before writing. So either this statement sees the work done or the job closed, or the other
    // transaction sees the body parked. The locking statement may have waited for the other transaction and would not
    // see its writes.
    private static final String PARK = LedgerSql.in("""
            with parked as (
                update tally.posting p
                set owner = null,
                    visible_at = case
                        when exists (
                            select 1 from tally.activity a
                            where a.job_id = p.job_id
                                and a.path = any(string_to_array(i.waits_for, ' '))
                                and (a.ledger / {WORK_DONE}) % 10 = 1
                        )
                            or exists (select 1 from tally.job j where j.id = p.job_id and j.closed_by is not null)
                        then now()
                        else 'infinity' end
                from unnest(?::uuid[], ?::uuid[], ?::text[]) as i (job_id, guid, waits_for)
                where p.job_id = i.job_id and p.guid = i.guid
                returning p.job_id, p.visible_at
            )
            select job_id from parked where visible_at < 'infinity'
            """);

    // A faster process has deleted it, under the lock of the body's posting that the caller holds.
    private static final String STILL_DUE = """
            select p.job_id, p.guid, p.path, p.name, p.fence, p.source
            from tally.posting p
            join unnest(?::uuid[], ?::uuid[]) as i (job_id, guid) on i.job_id = p.job_id and i.guid = p.guid
            order by p.job_id, p.guid
            for update of p skip locked
            """;

    private static final String POST_CANCEL = """
            insert into tally.posting (job_id, guid, mesh, queue, priority, visible_at, path, name)
            select j.id, i.guid, j.mesh, ?, 0, now(), '', '$cancel'
            from unnest(?::uuid[], ?::uuid[]) as i (job_id, guid)
            join tally.job j on j.id = i.job_id
            where j.closed_by is null
            {mesh}
            {lock}
            on conflict (job_id, guid) do nothing
            """;

    // A transaction that ends one job from within another must not lock it. If that job is already ending, this request
    // is redundant: its ledger shows that, and the request is dropped.
    private static final String POST_CANCEL_OF_OTHER =
            POST_CANCEL.replace("{mesh}", "").replace("{lock}", "");

    // A transaction that holds no other locks waits for a job that is already ending, and then posts no request.
    private static final String ASK_CANCEL =
            POST_CANCEL.replace("{mesh}", "and j.mesh = ?").replace("{lock}", "for share of j");

    private static final String DROP = """
            delete from tally.posting p
            using unnest(?::uuid[], ?::uuid[]) as i (job_id, guid)
            where p.job_id = i.job_id and p.guid = i.guid
            """;

    // Leased postings stay until their holder learns that the job has closed, and a child's end is still recorded. The
    // postings of the body and of requests to end the job are answered separately.
    private static final String DROP_WAITING = """
            delete from tally.posting
            where job_id = any(?)
                and (name = '$place'
                    or owner is null and source is null and name not in ('$main', '$cancel', '$ceiling'))
            """;

    private static final String WAKE = """
            update tally.posting
            set visible_at = now()
            where (job_id, guid) in (select * from unnest(?::uuid[], ?::uuid[]))
                and owner is null
            """;

    /**
     * Locks the jobs and the postings of the checkpoints, in the global lock order.
     *
     * @param wait whether to wait for rows that are locked; if not, they are left out, like those that are gone
     */
    Map<JobId, Held> holdWithJobs(Tx tx, List<Checkpoint> checkpoints, boolean wait) throws SQLException {
        Map<JobId, Held> held = HashMap.newHashMap(checkpoints.size());
        Columns<Checkpoint> of = new Columns<>(checkpoints);
        tx.query(
                wait ? HOLD_WITH_JOBS : HOLD_FREE_WITH_JOBS,
                row -> held.put(
                        new JobId(row.getObject("job_id", UUID.class)),
                        new Held(row.getLong("fence"), row.getBoolean("closed"))),
                of.uuids(checkpoint -> checkpoint.job().value()),
                of.uuids(checkpoint -> checkpoint.lease().guid().value()));
        return held;
    }

    /** The state of a locked posting. */
    public record Held(long fence, boolean jobClosed) {}

    /** Locks the postings and returns their current fences; leaves out postings that are gone. */
    public Map<Guid, Held> hold(Tx tx, List<Lease> leases) throws SQLException {
        Map<Guid, Held> held = HashMap.newHashMap(leases.size());
        Columns<Lease> of = new Columns<>(leases);
        tx.query(
                HOLD,
                row -> held.put(
                        new Guid(row.getObject("guid", UUID.class)),
                        new Held(row.getLong("fence"), row.getBoolean("closed"))),
                of.uuids(lease -> lease.job().value()),
                of.uuids(lease -> lease.guid().value()));
        return held;
    }

    /** Locks the postings that are not locked yet, and returns the jobs of the others. */
    public List<JobId> holdFree(Tx tx, List<Lease> leases) throws SQLException {
        Columns<Lease> of = new Columns<>(leases);
        return tx.query(
                HOLD_FREE,
                row -> new JobId(row.getObject("job_id", UUID.class)),
                of.uuids(lease -> lease.job().value()),
                of.uuids(lease -> lease.guid().value()));
    }

    /**
     * The state of leases after a heartbeat.
     *
     * @param standing leases that their holders still hold
     * @param closed leases whose job has closed: they expire unless their holders acknowledge that first
     */
    public record Beat(Set<Guid> standing, Set<Guid> closed) {}

    /** Extends the leases whose job is open. */
    public Beat extend(Tx tx, List<Lease> leases, Duration lease) throws SQLException {
        Columns<Lease> of = new Columns<>(leases);
        Beat beat = new Beat(new HashSet<>(), new HashSet<>());
        tx.query(
                EXTEND,
                row -> (row.getBoolean("closed") ? beat.closed() : beat.standing())
                        .add(new Guid(row.getObject("guid", UUID.class))),
                of.uuids(each -> each.job().value()),
                of.uuids(each -> each.guid().value()),
                of.longs(Lease::fence),
                lease.toMillis());
        return beat;
    }

    /** Releases leases, so that other processes need not wait for them to expire. */
    public void release(Tx tx, List<Lease> leases) throws SQLException {
        Columns<Lease> of = new Columns<>(leases);
        tx.update(
                RELEASE,
                of.uuids(each -> each.job().value()),
                of.uuids(each -> each.guid().value()),
                of.longs(Lease::fence));
    }

    /** Releases the leases until something that the bodies wait for is done; returns those for which it was done before. */
    Set<JobId> park(Tx tx, List<Checkpoint> checkpoints) throws SQLException {
        Columns<Checkpoint> of = new Columns<>(checkpoints);
        return Set.copyOf(tx.query(
                PARK,
                row -> new JobId(row.getObject("job_id", UUID.class)),
                of.uuids(checkpoint -> checkpoint.job().value()),
                of.uuids(checkpoint -> checkpoint.lease().guid().value()),
                of.texts(checkpoint -> String.join(" ", checkpoint.waitsFor()))));
    }

    /** A posting for the engine, and the job that it is about, if any. */
    public record Due(Lease posting, @Nullable JobId source) {}

    /** Locks the postings that still exist. */
    public List<Due> stillDue(Tx tx, List<Lease> postings) throws SQLException {
        Columns<Lease> of = new Columns<>(postings);
        return tx.query(
                STILL_DUE,
                row -> {
                    UUID source = row.getObject("source", UUID.class);
                    return new Due(lease(row), source == null ? null : new JobId(source));
                },
                of.uuids(posting -> posting.job().value()),
                of.uuids(posting -> posting.guid().value()));
    }

    /** Requests the end of the open jobs. */
    public void postCancel(Tx tx, List<JobId> jobs) throws SQLException {
        tx.update(POST_CANCEL_OF_OTHER, Queues.ENGINE, ids(jobs), cancelGuids(jobs));
    }

    /** Requests the end of the jobs of this mesh, in a transaction of its own: waits for transactions that are moving them. */
    void askCancel(Tx tx, String mesh, List<JobId> jobs) throws SQLException {
        tx.update(ASK_CANCEL, Queues.ENGINE, ids(jobs), cancelGuids(jobs), mesh);
    }

    private static UUID[] ids(List<JobId> jobs) {
        return jobs.stream().map(JobId::value).toArray(UUID[]::new);
    }

    private static UUID[] cancelGuids(List<JobId> jobs) {
        return jobs.stream()
                .map(job -> Guid.of(ActivityId.cancel(job), 0).value())
                .toArray(UUID[]::new);
    }

    public void drop(Tx tx, List<Lease> postings) throws SQLException {
        Columns<Lease> of = new Columns<>(postings);
        tx.update(
                DROP,
                of.uuids(posting -> posting.job().value()),
                of.uuids(posting -> posting.guid().value()));
    }

    /** Removes the waiting postings of closed jobs. */
    public void dropWaiting(Tx tx, Collection<JobId> closed) throws SQLException {
        tx.update(DROP_WAITING, (Object) closed.stream().map(JobId::value).toArray(UUID[]::new));
    }

    /** Makes parked bodies due; leaves running ones alone. */
    public void wake(Tx tx, List<Lease> bodies) throws SQLException {
        Columns<Lease> of = new Columns<>(bodies);
        tx.update(
                WAKE,
                of.uuids(body -> body.job().value()),
                of.uuids(body -> body.guid().value()));
    }

    public static Lease lease(ResultSet row) throws SQLException {
        JobId job = new JobId(row.getObject("job_id", UUID.class));
        ActivityId activity = new ActivityId(job, row.getString("path"), row.getString("name"));
        return new Lease(activity, new Guid(row.getObject("guid", UUID.class)), row.getLong("fence"));
    }
}
