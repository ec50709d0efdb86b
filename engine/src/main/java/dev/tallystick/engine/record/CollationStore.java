package dev.tallystick.engine.record;

import dev.tallystick.core.GuidLedger;
import dev.tallystick.core.Step;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Collated;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LedgerSql;
import dev.tallystick.engine.model.LegOne;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.engine.model.ResultDigest;
import dev.tallystick.engine.model.SentSignal;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The ledgers: job semaphores, activity ledgers and GUID ledgers. One method is one statement over a batch; the caller owns the
 * transaction and has taken the necessary locks.
 *
 * <p>Invariants, each enforced by the statement and not by its callers:
 *
 * <ul>
 *   <li>A marker is set at most once, and only by a statement that finds it unset: the GUID row decides, the activity follows.
 *   <li>Step 2, the semaphore, the threshold and the job closed snapshot are one statement.
 *   <li>Several transitions of one job in one batch each count: deltas add up per job in the order of the batch, and the first
 *       one that reaches the threshold closes the job.
 *   <li>The dimension of a GUID is fixed at its first entry.
 *   <li>An entry that would exceed a ceiling is refused before anything is written for it or its job, and a transition that
 *       ends the job is posted.
 * </ul>
 */
public final class CollationStore {

    private static final String LOCK_JOBS = """
            select id
            from tally.job
            where id = any(?)
            order by id
            for update
            """;

    private static final String LOCK_FREE_JOBS = LOCK_JOBS + " skip locked";

    private static final String KNOWN = """
            select id, mesh
            from tally.job
            where (id, mesh) in (select * from unnest(?::uuid[], ?::text[]))
            """;

    private static final String OPEN = """
            select id
            from tally.job
            where id = any(?)
                and closed_by is null
            """;

    //   item ──▶ entry    with the old digits of its GUID, its activity and its job
    //        ──▶ room     unless a counter would overflow
    //        ──▶ plan     the steps that this transition does first: the digit is still 0
    //             ├──▶ moved ──▶ hit      who brings the semaphore to its threshold, or ends the job
    //             │        │     └──▶ queued                the job to be sealed, if jobs are
    //             │        └───▶ total ──▶ job_moved        the job's semaphore, and its end
    //             └──▶ marked (plan and hit)
    //                    ├──▶ told, ended                   the parent's posting, the announcement
    //                    ├──▶ touched ──▶ activity_moved    the activity's digits and result
    //                    └──▶ the GUID's digits
    //
    // One insert or update per row: increments are summed per GUID, activity and job before they are written, because a
    // row that a statement touches twice keeps only one of the changes.
    private static final String COLLATE = LedgerSql.in("""
            with item as (
                select *
                from unnest(
                    ?::uuid[], ?::uuid[], ?::text[], ?::text[], ?::bigint[], ?::int[], ?::text[], ?::bytea[], ?::text[],
                    ?::bool[], ?::bool[], ?::bool[], ?::bool[], ?::bool[], ?::uuid[], ?::bool[]
                ) with ordinality as i (
                    job_id, guid, path, name, fence, delta, outcome, output, error,
                    enters, works, spawns, completes, acknowledges, said, opens, n
                )
            ),
            entry as (
                select i.*, g.ordinal as given,
                    coalesce(g.ledger, 0) as old,
                    j.closed_by is null as is_open, j.semaphore, j.threshold,
                    a.ledger % {COMPLETION_TASKS_DONE}
                        + sum(i.enters::int) over (partition by i.job_id, i.path, i.name order by i.n) as entries
                from item i
                join tally.job j on j.id = i.job_id
                join tally.activity a on a.job_id = i.job_id and a.path = i.path and a.name = i.name
                left join tally.guid g on g.job_id = i.job_id and g.guid = i.guid
            ),
            room as (
                select e.*,
                    max(greatest(e.entries, e.old % {COMPLETION_TASKS_DONE} + e.enters::int)) over (partition by e.job_id) as most
                from entry e
            ),
            plan as (
                select r.*,
                    coalesce(r.given, r.entries - 1) as ordinal,
                    r.works and (r.old / {WORK_DONE}) % 10 = 0 as does_work,
                    r.spawns and (r.old / {CHILDREN_SPAWNED}) % 10 = 0 as does_spawn
                from room r
                where r.most < {COMPLETION_TASKS_DONE}
            ),
            moved as (
                select p.job_id, p.guid, p.n, p.delta, p.outcome, p.output, p.error, p.threshold,
                    p.semaphore + sum(p.delta) over (partition by p.job_id order by p.n) as after
                from plan p
                where p.does_spawn
                    and p.is_open
            ),
            hit as (
                select distinct on (job_id) job_id, guid, outcome, output, error
                from moved
                where outcome is not null or (delta <> 0 and after = threshold)
                order by job_id, n
            ),
            total as (
                select m.job_id, sum(m.delta) as delta, h.guid as closer, h.outcome, h.output, h.error
                from moved m
                left join hit h on h.job_id = m.job_id
                group by m.job_id, h.guid, h.outcome, h.output, h.error
                having sum(m.delta) <> 0 or h.guid is not null
            ),
            job_moved as (
                update tally.job j
                set semaphore = case when t.closer is null then j.semaphore + t.delta else 0 end,
                    closed_by = t.closer,
                    closed_at = case when t.closer is not null then now() end,
                    outcome = case when t.closer is not null then coalesce(t.outcome, 'completed') end,
                    output = t.output,
                    error = t.error
                from total t
                where j.id = t.job_id
            ),
            queued as (
                insert into tally.seal_queue (closed)
                select array_agg(job_id order by job_id)
                from hit
                where exists (select from tally.seal_log)
                having count(*) > 0
            ),
            marked as (
                select p.*,
                    h.guid is not null as closes,
                    p.completes
                        and (p.old / {COMPLETION_TASKS_DONE}) % 10 = 0
                        and (h.guid is not null or (p.old / {JOB_CLOSED}) % 10 = 1) as does_complete
                from plan p
                left join hit h on h.job_id = p.job_id and h.guid = p.guid
            ),
            told as (
                insert into tally.posting (job_id, guid, mesh, queue, priority, visible_at, path, name, source)
                select c.parent_job, c.parent_guid, c.mesh,
                    case when a.kind = 'child' then '$engine' else '$graph:' || p.workflow || '@' || p.version end,
                    c.priority, now(), c.parent_path, c.parent_name, c.id
                from marked m
                join tally.job c on c.id = m.job_id
                join tally.job p on p.id = c.parent_job
                join tally.activity a on a.job_id = c.parent_job and a.path = c.parent_path and a.name = c.parent_name
                where m.does_complete
                    and c.parent_job is not null
            ),
            ended as (
                insert into tally.ended_job (job_id)
                select c.id
                from marked m
                join tally.job c on c.id = m.job_id
                where m.does_complete
                    and exists (select from tally.end_watch w where w.mesh = c.mesh and w.workflow = c.workflow)
                on conflict do nothing
            ),
            touched as (
                select job_id, path, name,
                    count(*) filter (where enters) as entries,
                    bool_or(does_work) as works,
                    bool_or(does_spawn) as spawns,
                    bool_or(does_complete) as completes,
                    (array_agg(output order by n desc) filter (where does_work))[1] as output,
                    (array_agg(error order by n desc) filter (where does_work))[1] as error
                from marked
                group by job_id, path, name
            ),
            activity_moved as (
                update tally.activity a
                set ledger = a.ledger + t.entries
                        + case when t.works and (a.ledger / {WORK_DONE}) % 10 = 0 then {WORK_DONE} else 0 end
                        + case when t.spawns and (a.ledger / {CHILDREN_SPAWNED}) % 10 = 0 then {CHILDREN_SPAWNED} else 0 end
                        + case when t.completes and (a.ledger / {COMPLETION_TASKS_DONE}) % 10 = 0 then {COMPLETION_TASKS_DONE} else 0 end,
                    output = case when t.works then t.output else a.output end,
                    error = case when t.works then t.error else a.error end
                from touched t
                where a.job_id = t.job_id and a.path = t.path and a.name = t.name
            ),
            acknowledged as (
                delete from tally.posting p
                using marked m
                where p.job_id = m.job_id and p.guid = m.guid and m.acknowledges
            ),
            recorded as (
                insert into tally.guid as g (job_id, guid, path, name, ordinal, fence, said, late, output, error, ledger)
                select job_id, guid, path, name, ordinal, fence, said, case when does_spawn and not is_open then true end,
                    case when opens and does_work then output end,
                    case when opens and does_work then error end,
                    case when enters then 1 else 0 end
                        + case when does_work then {WORK_DONE} else 0 end
                        + case when does_spawn then {CHILDREN_SPAWNED} else 0 end
                        + case when closes then {JOB_CLOSED} else 0 end
                        + case when does_complete then {COMPLETION_TASKS_DONE} else 0 end
                from marked
                on conflict (job_id, guid) do update
                set ledger = g.ledger + excluded.ledger,
                    said = coalesce(g.said, excluded.said),
                    late = coalesce(g.late, excluded.late),
                    output = coalesce(g.output, excluded.output),
                    error = coalesce(g.error, excluded.error)
                returning g.job_id, g.guid, g.ordinal, g.ledger
            )
            select r.guid, r.ordinal, r.ledger, m.closes
            from recorded r
            join marked m on m.job_id = r.job_id and m.guid = r.guid
            """);

    private static final String END_REFUSED = """
            insert into tally.posting (job_id, guid, mesh, queue, priority, visible_at, path, name)
            select j.id, i.guid, j.mesh, '$engine', 0, now(), '', '$ceiling'
            from unnest(?::uuid[], ?::uuid[]) as i (job_id, guid)
            join tally.job j on j.id = i.job_id
            where j.closed_by is null
            on conflict (job_id, guid) do nothing
            """;

    private static final String UNFINISHED = LedgerSql.in("""
            select job_id, guid, path, name, fence
            from tally.guid
            where (ledger / {JOB_CLOSED}) % 10 = 1 and (ledger / {COMPLETION_TASKS_DONE}) % 10 = 0
            order by entered_at
            limit ?
            """);

    // An existing activity was dispatched before: either by a process that died or failed, which makes this a further
    // attempt at the same posting, or by this very call, whose reply was lost. Neither is another Leg 1.
    private static final String ENTER = LedgerSql.in("""
            with item as (
                select *
                from unnest(
                    ?::uuid[], ?::uuid[], ?::text[], ?::text[], ?::text[], ?::int[], ?::text[], ?::bigint[], ?::int[], ?::bigint[]
                ) as i (job_id, guid, path, name, kind, delta, queue, due_millis, attempt, age_micros)
            ),
            entered as (
                insert into tally.activity as a (job_id, path, name, kind, ledger, attempts, entered_at)
                select job_id, path, name, kind, {LEG1_ATTEMPTS} + {LEG1_COMPLETE}, attempt,
                    least(now(), clock_timestamp() - age_micros * interval '1 microsecond')
                from item
                on conflict (job_id, path, name) do update
                set attempts = greatest(a.attempts, excluded.attempts), retry_at = null
                returning a.job_id, a.path, a.name, a.attempts
            ),
            fresh as (
                select i.*
                from item i
                left join tally.activity a on a.job_id = i.job_id and a.path = i.path and a.name = i.name
                where a.job_id is null
            ),
            opened as (
                update tally.job j
                set semaphore = j.semaphore + f.delta
                from (select job_id, sum(delta) as delta from fresh group by job_id) f
                where j.id = f.job_id
                    and f.delta <> 0
                    and j.closed_by is null
            ),
            posted as (
                insert into tally.posting (job_id, guid, mesh, queue, priority, visible_at, path, name)
                select f.job_id, f.guid, j.mesh, f.queue, j.priority,
                    now() + f.due_millis * interval '1 millisecond', f.path, f.name
                from fresh f
                join tally.job j on j.id = f.job_id
                where f.due_millis is not null
            )
            select job_id, path, name, attempts
            from entered
            """);

    private static final String RECORDED = LedgerSql.in("""
            select g.guid, g.late, g.said
            from tally.guid g
            join unnest(?::uuid[], ?::uuid[], ?::bigint[]) as i (job_id, guid, fence)
                on i.job_id = g.job_id and i.guid = g.guid and i.fence = g.fence
            where (g.ledger / {WORK_DONE}) % 10 = 1
            """);

    /**
     * Locks the jobs in the global lock order.
     *
     * @param wait whether to wait for jobs that another transaction has locked
     * @return the jobs that are now locked
     */
    public Set<JobId> lock(Tx tx, List<JobId> jobs, boolean wait) throws SQLException {
        return ids(tx, wait ? LOCK_JOBS : LOCK_FREE_JOBS, jobs);
    }

    /** The jobs that the senders of these signals may know, with their meshes. */
    public Map<JobId, String> known(Tx tx, List<SentSignal> signals) throws SQLException {
        Map<JobId, String> known = new HashMap<>();
        Columns<SentSignal> of = new Columns<>(signals);
        tx.query(
                KNOWN,
                row -> known.put(new JobId(row.getObject("id", UUID.class)), row.getString("mesh")),
                of.uuids(signal -> signal.id().job().value()),
                of.texts(SentSignal::mesh));
        return known;
    }

    /** The jobs that are still open. */
    public Set<JobId> open(Tx tx, List<JobId> jobs) throws SQLException {
        return ids(tx, OPEN, jobs);
    }

    private static Set<JobId> ids(Tx tx, String statement, List<JobId> jobs) throws SQLException {
        UUID[] ids = jobs.stream().map(JobId::value).toArray(UUID[]::new);
        return new HashSet<>(tx.query(statement, row -> new JobId(row.getObject("id", UUID.class)), (Object) ids));
    }

    /**
     * Takes each transition as far as it says. A call must not contain a GUID twice.
     *
     * @return the state after each transition; a missing one was refused because it or its job reached a ceiling, or because it
     *     has no activity
     */
    public Map<Guid, Collated> collate(Tx tx, List<LegTwo> items) throws SQLException {
        Map<Guid, Collated> collated = HashMap.newHashMap(items.size());
        Columns<LegTwo> of = new Columns<>(items);
        tx.query(
                COLLATE,
                row -> collated.put(
                        new Guid(row.getObject("guid", UUID.class)),
                        new Collated(
                                new GuidLedger(row.getLong("ledger")),
                                row.getInt("ordinal"),
                                row.getBoolean("closes"))),
                of.uuids(item -> item.activity().job().value()),
                of.uuids(item -> item.guid().value()),
                of.texts(item -> item.activity().path()),
                of.texts(item -> item.activity().name()),
                of.longs(LegTwo::fence),
                of.ints(LegTwo::delta),
                of.texts(item -> item.outcome() == null ? null : item.outcome().text()),
                of.bytes(LegTwo::output),
                of.texts(LegTwo::error),
                of.flags(LegTwo::enters),
                of.flags(item -> item.steps().contains(Step.WORK)),
                of.flags(item -> item.steps().contains(Step.CHILDREN)),
                of.flags(item -> item.steps().contains(Step.COMPLETION_TASKS)),
                of.flags(LegTwo::acknowledges),
                of.uuids(item ->
                        item.resultDigest() == null ? null : item.resultDigest().digest()),
                of.flags(LegTwo::opens));
        if (collated.size() < items.size()) {
            endRefused(
                    tx,
                    items.stream()
                            .filter(item -> !collated.containsKey(item.guid()))
                            .map(item -> item.activity().job())
                            .distinct()
                            .toList());
        }
        return collated;
    }

    /** Counters never wrap: a refused transition ends its job, through a transition of its own. */
    private static void endRefused(Tx tx, List<JobId> jobs) throws SQLException {
        Columns<JobId> of = new Columns<>(jobs);
        tx.update(
                END_REFUSED,
                of.uuids(JobId::value),
                of.uuids(job -> Guid.of(ActivityId.ceiling(job), 0).value()));
    }

    /**
     * Dispatches: enters and completes Leg 1, together with the posting if there is one.
     *
     * @return the number of the current attempt at each
     */
    public Map<ActivityId, Integer> enter(Tx tx, List<LegOne> items) throws SQLException {
        Map<ActivityId, Integer> attempts = HashMap.newHashMap(items.size());
        Columns<LegOne> of = new Columns<>(items);
        tx.query(
                ENTER,
                row -> attempts.put(
                        new ActivityId(
                                new JobId(row.getObject("job_id", UUID.class)),
                                row.getString("path"),
                                row.getString("name")),
                        row.getInt("attempts")),
                of.uuids(item -> item.activity().job().value()),
                of.uuids(item -> Guid.of(item.activity(), 0).value()),
                of.texts(item -> item.activity().path()),
                of.texts(item -> item.activity().name()),
                of.texts(LegOne::kind),
                of.ints(LegOne::delta),
                of.texts(LegOne::queue),
                of.optionalLongs(item -> item.due() == null ? null : item.due().toMillis()),
                of.ints(LegOne::attempt),
                of.longs(LegOne::ageMicros));
        return attempts;
    }

    /** Transitions that closed their job but whose completion tasks are still open, oldest first. */
    public List<Lease> unfinished(Tx tx, int limit) throws SQLException {
        return tx.query(UNFINISHED, PostingStore::lease, limit);
    }

    /**
     * An answer that is already recorded.
     *
     * @param late whether the job had closed, so the answer had no effect
     * @param resultDigest the answer of a remote worker
     */
    public record Recorded(boolean late, @Nullable ResultDigest resultDigest) {}

    /** The transitions that are recorded under exactly the fence they bring. */
    public Map<Guid, Recorded> recorded(Tx tx, List<Lease> postings) throws SQLException {
        Map<Guid, Recorded> recorded = HashMap.newHashMap(postings.size());
        Columns<Lease> of = new Columns<>(postings);
        tx.query(
                RECORDED,
                row -> {
                    UUID said = row.getObject("said", UUID.class);
                    return recorded.put(
                            new Guid(row.getObject("guid", UUID.class)),
                            new Recorded(row.getBoolean("late"), said == null ? null : new ResultDigest(said)));
                },
                of.uuids(posting -> posting.job().value()),
                of.uuids(posting -> posting.guid().value()),
                of.longs(Lease::fence));
        return recorded;
    }
}
