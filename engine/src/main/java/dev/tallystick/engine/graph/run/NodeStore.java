package dev.tallystick.engine.graph.run;

import dev.tallystick.core.ActivityLedger;
import dev.tallystick.core.GuidLedger;
import dev.tallystick.engine.graph.Dimension;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LeasedWork;
import dev.tallystick.engine.model.LedgerSql;
import dev.tallystick.engine.model.Queues;
import dev.tallystick.engine.model.SentSignal;
import dev.tallystick.engine.record.FaultStore;
import dev.tallystick.engine.record.SignalStore;
import dev.tallystick.engine.record.TaskStore;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What graphs read and write besides the ledgers. One method is one statement over a batch; the caller has locked the jobs. */
public final class NodeStore {

    private final FaultStore faults = new FaultStore();

    private static final String JOBS = """
            select id, mesh, workflow, version, semaphore, threshold, input, keys_of,
                parent_job is not null as is_child, closed_by is not null as closed
            from tally.job
            where id = any(?)
            """;

    private static final String SEEN = """
            select a.job_id, a.path, a.name, a.ledger, a.output, a.arrived, a.skipped
            from tally.activity a
            join (select distinct * from unnest(?::uuid[], ?::text[])) as i (job_id, path)
                on i.job_id = a.job_id and i.path = a.path
            """;

    // The output of a node that opens a dimension belongs to that dimension: expressions see it as if the node had run
    // there.
    private static final String SEEN_IN_ROUNDS = SEEN + """
            union all
            select g.job_id, i.path, g.name, 0, g.output, null, null
            from unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::int[]) as i (job_id, path, around, opener, round)
            join tally.guid g
                on g.job_id = i.job_id and g.path = i.around and g.name = i.opener and g.ordinal = i.round
            where g.output is not null
            """;

    // The last round of each node.
    private static final String NEWEST = """
            select distinct on (name) job_id, path, name, ledger, output, arrived, skipped
            from tally.activity
            where job_id = ?
                and (path = ? or starts_with(path, ?))
                and output is not null
            order by name, string_to_array(nullif(regexp_replace(path, '[^/]+:', '', 'g'), ''), '/')::int[] desc
            """;

    // An awaited job has no posting until it ends.
    private static final String OPEN = LedgerSql.in("""
            select job_id, guid, path, name
            from tally.posting
            where job_id = ?
            union all
            select job_id, null, path, name
            from tally.activity
            where job_id = ?
                and kind = 'await'
                and (ledger / {WORK_DONE}) % 10 = 0
            """);

    private static final String GUIDS = """
            select g.guid, g.ordinal, g.ledger
            from tally.guid g
            join unnest(?::uuid[], ?::uuid[]) as i (job_id, guid) on i.job_id = g.job_id and i.guid = g.guid
            """;

    // A join exists from its first arrival on, and its Leg 1 is complete with the last; a node that a cycle enters
    // again completed Leg 1 long ago.
    private static final String DISPATCH = LedgerSql.in("""
            with item as (
                select *
                from unnest(
                    ?::uuid[], ?::text[], ?::text[], ?::text[], ?::bool[], ?::bytea[], ?::bigint[], ?::bigint[],
                    ?::uuid[], ?::uuid[], ?::text[], ?::bigint[], ?::text[], ?::text[], ?::bytea[]
                ) with ordinality as i (
                    job_id, path, name, kind, complete, input, arrived, skipped,
                    guid, key, queue, due_millis, awaits, owner, carried, n
                )
            ),
            entered as (
                insert into tally.activity as a (job_id, path, name, kind, ledger, input, arrived, skipped)
                select distinct on (job_id, path, name) job_id, path, name, kind,
                    {LEG1_ATTEMPTS} + case when complete then {LEG1_COMPLETE} else 0 end,
                    input, arrived, skipped
                from item
                order by job_id, path, name, n desc
                on conflict (job_id, path, name) do update
                set ledger = a.ledger + case
                        when (a.ledger / {LEG1_COMPLETE}) % 10 = 0 and (excluded.ledger / {LEG1_COMPLETE}) % 10 = 1
                        then {LEG1_COMPLETE}
                        else 0
                    end,
                    input = coalesce(excluded.input, a.input),
                    arrived = coalesce(excluded.arrived, a.arrived),
                    skipped = coalesce(excluded.skipped, a.skipped)
            )
            insert into tally.posting
                (job_id, guid, key, mesh, queue, priority, visible_at, fence, owner, attempts, path, name, awaits, input)
            select i.job_id, i.guid, i.key, j.mesh, i.queue, j.priority,
                case
                    when i.owner is not null then now() + ? * interval '1 millisecond'
                    when i.due_millis is null then 'infinity'
                    else now() + i.due_millis * interval '1 millisecond'
                end,
                case when i.owner is null then 0 else 1 end, i.owner,
                case when i.owner is null then 0 else 1 end, i.path, i.name, i.awaits, i.carried
            from item i
            join tally.job j on j.id = i.job_id
            where i.guid is not null
            """);

    private static final String WAITS = """
            select p.job_id, p.guid, p.path, p.name, p.fence, p.awaits
            from tally.posting p
            join (select distinct * from unnest(?::uuid[], ?::text[])) as i (job_id, signal)
                on i.job_id = p.job_id and i.signal = p.awaits
            order by p.job_id, p.path, p.name, p.guid
            for update of p
            """;

    // The fence ends with the attempt: a later report by its worker is a repeat, not a second result.
    private static final String AGAIN = """
            update tally.posting p
            set visible_at = now() + i.after_millis * interval '1 millisecond',
                owner = null,
                fence = p.fence + 1,
                attempts = p.attempts - i.given_back
            from unnest(?::uuid[], ?::uuid[], ?::bigint[], ?::bigint[]) as i (job_id, guid, after_millis, given_back)
            where p.job_id = i.job_id and p.guid = i.guid
            """;

    // A wait is not leased, so its fence counts how often it was handed on: an engine that saw it due before then comes
    // too late. The wait starts over, and so does the count of starts that never came back.
    private static final String WAIT_ON = """
            update tally.posting p
            set visible_at = coalesce(now() + i.after_millis * interval '1 millisecond', 'infinity'),
                fence = p.fence + 1, attempts = 0
            from unnest(?::uuid[], ?::uuid[], ?::bigint[]) as i (job_id, guid, after_millis)
            where p.job_id = i.job_id and p.guid = i.guid
            """;

    private static final String RETURN = """
            update tally.job j
            set output = i.output
            from unnest(?::uuid[], ?::bytea[]) as i (job_id, output)
            where j.id = i.job_id
            """;

    private static final String WORK = """
            select p.job_id, p.guid, coalesce(p.key, p.guid) as key, p.path, p.name, p.fence, p.attempts,
                coalesce(p.input, a.input) as input, j.workflow, j.version, j.closed_by is not null as closed
            from tally.posting p
            join tally.activity a on a.job_id = p.job_id and a.path = p.path and a.name = p.name
            join tally.job j on j.id = p.job_id
            join unnest(?::uuid[], ?::uuid[]) as i (job_id, guid) on i.job_id = p.job_id and i.guid = p.guid
            """;

    private static final String LEASED_BY = """
            select p.job_id, p.guid, coalesce(p.key, p.guid) as key, p.path, p.name, p.fence, p.attempts,
                coalesce(p.input, a.input) as input, j.workflow, j.version, j.closed_by is not null as closed
            from tally.posting p
            join tally.activity a on a.job_id = p.job_id and a.path = p.path and a.name = p.name
            join tally.job j on j.id = p.job_id
            where p.job_id = any(?)
                and p.owner = ?
            """;

    /** A locked job. */
    record Job(
            JobId id,
            String mesh,
            String workflow,
            int version,
            int semaphore,
            int threshold,
            byte[] input,
            @Nullable JobId keysOf,
            boolean isChild,
            boolean closed) {}

    /** An activity of a locked job. */
    record Seen(ActivityId id, ActivityLedger ledger, byte @Nullable [] output, long arrived, long skipped) {}

    /** A transition that was entered before. */
    record Entered(int ordinal, GuidLedger ledger) {}

    Map<JobId, Job> jobs(Tx tx, Collection<JobId> ids) throws SQLException {
        Map<JobId, Job> jobs = new HashMap<>();
        tx.query(
                JOBS,
                row -> {
                    JobId id = new JobId(row.getObject("id", UUID.class));
                    UUID keysOf = row.getObject("keys_of", UUID.class);
                    return jobs.put(
                            id,
                            new Job(
                                    id,
                                    row.getString("mesh"),
                                    row.getString("workflow"),
                                    row.getInt("version"),
                                    row.getInt("semaphore"),
                                    row.getInt("threshold"),
                                    row.getBytes("input"),
                                    keysOf == null ? null : new JobId(keysOf),
                                    row.getBoolean("is_child"),
                                    row.getBoolean("closed")));
                },
                (Object) ids.stream().map(JobId::value).toArray(UUID[]::new));
        return jobs;
    }

    /** All activities in the dimensions of the transitions and the enclosing ones, and the nodes that opened these. */
    List<Seen> seen(Tx tx, List<NodeTransition> transitions) throws SQLException {
        record Place(JobId job, Dimension dimension) {}
        List<Place> places = transitions.stream()
                .flatMap(each ->
                        Dimension.around(each.activity().path()).stream().map(at -> new Place(each.job(), at)))
                .distinct()
                .toList();
        Columns<Place> of = new Columns<>(places);
        UUID[] jobs = of.uuids(place -> place.job().value());
        String[] paths = of.texts(place -> place.dimension().path());
        List<Place> opened = places.stream()
                .filter(place -> !place.dimension().isOutermost())
                .toList();
        if (opened.isEmpty()) {
            return tx.query(SEEN, NodeStore::seen, jobs, paths);
        }
        Columns<Place> rounds = new Columns<>(opened);
        return tx.query(
                SEEN_IN_ROUNDS,
                NodeStore::seen,
                jobs,
                paths,
                rounds.uuids(place -> place.job().value()),
                rounds.texts(place -> place.dimension().path()),
                rounds.texts(place -> place.dimension().around()),
                rounds.texts(place -> place.dimension().opener()),
                rounds.ints(place -> place.dimension().round()));
    }

    /** The newest output of each node, at the path and further in. */
    List<Seen> newest(Tx tx, JobId job, String path) throws SQLException {
        return tx.query(NEWEST, NodeStore::seen, job.value(), path, path.isEmpty() ? "" : path + "/");
    }

    /** The open activities of the job. */
    List<Joins.Open> open(Tx tx, JobId job) throws SQLException {
        return tx.query(
                OPEN,
                row -> {
                    UUID guid = row.getObject("guid", UUID.class);
                    return new Joins.Open(guid == null ? null : new Guid(guid), activity(row));
                },
                job.value(),
                job.value());
    }

    Map<Guid, Entered> entered(Tx tx, List<NodeTransition> transitions) throws SQLException {
        Map<Guid, Entered> entered = new HashMap<>();
        Columns<NodeTransition> of = new Columns<>(transitions);
        tx.query(
                GUIDS,
                row -> entered.put(
                        new Guid(row.getObject("guid", UUID.class)),
                        new Entered(row.getInt("ordinal"), new GuidLedger(row.getLong("ledger")))),
                of.uuids(each -> each.job().value()),
                of.uuids(each -> each.posting().guid().value()));
        return entered;
    }

    /** Of several dispatches of one activity the last determines its state; each has its own posting. */
    void dispatch(Tx tx, List<NodeEntry> dispatches, Duration lease) throws SQLException {
        Columns<NodeEntry> of = new Columns<>(dispatches);
        tx.update(
                DISPATCH,
                of.uuids(each -> each.activity().job().value()),
                of.texts(each -> each.activity().path()),
                of.texts(each -> each.activity().name()),
                of.texts(NodeEntry::kind),
                of.flags(NodeEntry::complete),
                of.bytes(NodeEntry::input),
                of.optionalLongs(NodeEntry::arrived),
                of.optionalLongs(NodeEntry::skipped),
                of.uuids(each ->
                        each.posting() == null ? null : each.posting().guid().value()),
                of.uuids(each -> each.posting() == null || each.posting().key() == null
                        ? null
                        : each.posting().key().value()),
                of.texts(each -> each.posting() == null ? null : each.posting().queue()),
                of.optionalLongs(
                        each -> each.posting() == null || each.posting().due() == null
                                ? null
                                : each.posting().due().toMillis()),
                of.texts(each -> each.posting() == null ? null : each.posting().awaits()),
                of.texts(each -> each.posting() == null ? null : each.posting().owner()),
                of.bytes(each -> each.posting() == null ? null : each.posting().input()),
                lease.toMillis());
    }

    /** The waits that these signals may answer; locks them. */
    List<SignalStore.Wait> waits(Tx tx, Collection<SentSignal.Id> signals) throws SQLException {
        Columns<SentSignal.Id> of = new Columns<>(List.copyOf(signals));
        return tx.query(
                WAITS,
                row -> new SignalStore.Wait(lease(row), row.getString("awaits")),
                of.uuids(id -> id.job().value()),
                of.texts(SentSignal.Id::name));
    }

    /** Records a failed attempt that is not the last: the posting falls due again, and the activity says why. */
    void again(Tx tx, List<NodeReport> steps) throws SQLException {
        record Attempt(Lease posting, NodeEvent.Again again) {}
        List<Attempt> attempts = steps.stream()
                .map(step -> new Attempt(step.posting(), (NodeEvent.Again) step.told()))
                .toList();
        Columns<Attempt> of = new Columns<>(attempts);
        UUID[] jobs = of.uuids(each -> each.posting().job().value());
        tx.update(
                AGAIN,
                jobs,
                of.uuids(each -> each.posting().guid().value()),
                of.longs(each -> each.again().after().toMillis()),
                of.longs(each -> each.again().begun() ? 0 : 1));
        faults.note(
                tx,
                attempts.stream()
                        .map(each -> new FaultStore.Noted(
                                each.posting().activity(),
                                each.again().fault().error(),
                                each.again().fault().stackTrace(),
                                null))
                        .toList());
    }

    /** Extends the waits of escalated tasks by the time that the next group has. */
    void waitOn(Tx tx, List<TaskStore.Escalated> waits) throws SQLException {
        Columns<TaskStore.Escalated> of = new Columns<>(waits);
        tx.update(
                WAIT_ON,
                of.uuids(each -> each.job().value()),
                of.uuids(each -> each.task().value()),
                of.optionalLongs(TaskStore.Escalated::dueMillis));
    }

    /** Stores the outputs of the jobs. */
    void returns(Tx tx, Map<JobId, byte[]> outputs) throws SQLException {
        Columns<Map.Entry<JobId, byte[]>> of = new Columns<>(List.copyOf(outputs.entrySet()));
        tx.update(RETURN, of.uuids(each -> each.getKey().value()), of.bytes(Map.Entry::getValue));
    }

    List<LeasedWork> work(Tx tx, List<Lease> leases) throws SQLException {
        Columns<Lease> of = new Columns<>(leases);
        return tx.query(
                WORK,
                NodeStore::leasedWork,
                of.uuids(lease -> lease.job().value()),
                of.uuids(lease -> lease.guid().value()));
    }

    List<LeasedWork> leasedBy(Tx tx, Collection<JobId> jobs, String owner) throws SQLException {
        return tx.query(
                LEASED_BY,
                NodeStore::leasedWork,
                jobs.stream().map(JobId::value).toArray(UUID[]::new),
                owner);
    }

    static Lease lease(ResultSet row) throws SQLException {
        return new Lease(activity(row), new Guid(row.getObject("guid", UUID.class)), row.getLong("fence"));
    }

    private static ActivityId activity(ResultSet row) throws SQLException {
        return new ActivityId(
                new JobId(row.getObject("job_id", UUID.class)), row.getString("path"), row.getString("name"));
    }

    private static Seen seen(ResultSet row) throws SQLException {
        return new Seen(
                activity(row),
                new ActivityLedger(row.getLong("ledger")),
                row.getBytes("output"),
                row.getLong("arrived"),
                row.getLong("skipped"));
    }

    private static LeasedWork leasedWork(ResultSet row) throws SQLException {
        return new LeasedWork(
                lease(row),
                Queues.of(row.getString("workflow"), row.getInt("version")),
                row.getInt("attempts"),
                row.getObject("key", UUID.class),
                row.getBytes("input"),
                row.getBoolean("closed"));
    }
}
