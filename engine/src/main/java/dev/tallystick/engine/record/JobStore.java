package dev.tallystick.engine.record;

import dev.tallystick.core.ActivityLedger;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Ending;
import dev.tallystick.engine.model.FailureLog;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.JobView;
import dev.tallystick.engine.model.LedgerSql;
import dev.tallystick.engine.model.NewJob;
import dev.tallystick.engine.model.Queues;
import dev.tallystick.engine.model.RecordedActivity;
import dev.tallystick.keys.RidingInserts;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The job table, and the two rows that every job begins with: its body or trigger, and the posting for it. */
public final class JobStore {

    // A delay counts from the time of reading, not from the start of the transaction, so a job is never early. Each use
    // replaces {fresh} with the condition that selects the items to start.
    private static final String STARTING = LedgerSql.in("""
            item as (
                select *
                from (
                    select unnest(?::uuid[]) as id, unnest(?::uuid[]) as guid, unnest(?::text[]) as mesh,
                        unnest(?::text[]) as workflow, unnest(?::int[]) as version, unnest(?::int[]) as priority,
                        unnest(?::bytea[]) as input, unnest(?::bigint[]) as delay_millis, unnest(?::text[]) as owner,
                        unnest(?::uuid[]) as parent_job, unnest(?::uuid[]) as parent_guid,
                        unnest(?::text[]) as parent_path, unnest(?::text[]) as parent_name,
                        unnest(?::uuid[]) as continued_from, unnest(?::text[]) as trigger,
                        unnest(?::text[]) as key, unnest(?::text[]) as member
                ) as i
            ),
            fresh as (
                select *
                from item i
                where {fresh}
            ),
            started as (
                insert into tally.job
                    (id, mesh, workflow, version, semaphore, priority, input,
                        parent_job, parent_guid, parent_path, parent_name, continued_from)
                select id, mesh, workflow, version, 1, priority, input,
                    parent_job, parent_guid, parent_path, parent_name, continued_from
                from fresh
            ),
            dispatched as (
                insert into tally.activity (job_id, path, name, kind, ledger, attempts)
                select id, '', coalesce(trigger, '$main'), case when trigger is null then 'body' else 'trigger' end,
                    {LEG1_ATTEMPTS} + {LEG1_COMPLETE}, 1
                from fresh
            ),
            posted as (
                insert into tally.posting (job_id, guid, mesh, queue, priority, visible_at, fence, owner, path, name)
                select id, guid, mesh, case when trigger is null then '' else '$graph:' end || workflow || '@' || version, priority,
                    case when delay_millis = 0 then now() else clock_timestamp() end
                        + (delay_millis + case when owner is null then 0 else ? end) * interval '1 millisecond',
                    case when owner is null then 0 else 1 end, owner, '', coalesce(trigger, '$main')
                from fresh
            ),
            queued as (
                insert into tally.seal_queue (accepted, keys, members)
                select array_agg(id order by id), array_agg(key order by id), array_agg(member order by id)
                from fresh
                where exists (select from tally.seal_log)
                having count(*) > 0
            )
            """);

    private static final String SUBJECTS = LedgerSql.in("""
            select j.id, j.workflow, j.version, coalesce(j.keys_of, j.id) as keys_of, a.path, a.name
            from tally.job j
            left join lateral (
                select a.path, a.name
                from tally.activity a
                where a.job_id = j.id
                    and (a.name not like '$%' or a.kind in ('await', 'sleep'))
                    and a.kind <> 'trigger'
                    and (a.ledger / {WORK_DONE}) % 10 = 0
                order by a.entered_at desc, a.path desc
                limit 1
            ) a on true
            where j.id = any(?)
            """);

    // A job that already exists was started by the same call, whose reply was lost.
    private static final String START =
            "with " + STARTING.replace("{fresh}", "not exists (select 1 from tally.job j where j.id = i.id)")
                    + "select count(*) from fresh";

    // "is true" makes Postgres hash the bound keys; a join would compare every item with every key.
    private static final String START_BOUND =
            STARTING.replace("{fresh}", "(i.id in (select original_id from bound)) is true");

    // A repeat after a lost reply finds the posting, or the job closed.
    private static final String LIMIT = """
            with timed as (
                update tally.job j
                set deadline = now() + i.millis * interval '1 millisecond'
                from unnest(?::uuid[], ?::uuid[], ?::bigint[]) as i (id, guid, millis)
                where j.id = i.id
                    and j.deadline is null
                    and j.closed_by is null
                returning j.id, i.guid, j.mesh, j.deadline
            )
            insert into tally.posting (job_id, guid, mesh, queue, priority, visible_at, path, name)
            select id, guid, mesh, '$engine', 0, deadline, '', '$timeout'
            from timed
            """;

    private static final String READ = """
            select id, mesh, workflow, version, semaphore, outcome, output, error, created_at, closed_at
            from tally.job
            where id = ?
            """;

    private static final String ACTIVITIES = """
            select path, name, ledger, attempts, output, error
            from tally.activity
            where job_id = ?
            """;

    private static final String ACTIVITY = ACTIVITIES + " and path = ? and name = ?";

    private static final String CLOSED_AMONG = """
            select id, mesh, workflow, version, semaphore, outcome, output, error, created_at, closed_at
            from tally.job
            where id = any(?)
                and closed_by is not null
            """;

    private static final String OPEN_CHILDREN = """
            select id
            from tally.job
            where parent_job = any(?)
                and closed_by is null
            """;

    private final LaneStore lanes = new LaneStore();
    private final AttributeStore attributes = new AttributeStore();
    private final TraceStore traces = new TraceStore();

    public void start(Tx tx, List<NewJob> jobs, Duration lease) throws SQLException {
        tx.query(START, row -> row.getLong(1), parameters(jobs, lease).toArray());
        insertOptions(tx, jobs);
    }

    /** Starts the jobs whose keys were free; call {@link #insertOptions} afterwards. */
    RidingInserts starting(List<NewJob> jobs, Duration lease) {
        return new RidingInserts(START_BOUND, parameters(jobs, lease));
    }

    private static List<Object> parameters(List<NewJob> jobs, Duration lease) {
        Columns<NewJob> of = new Columns<>(jobs);
        return List.of(
                of.uuids(job -> job.id().value()),
                of.uuids(job -> Guid.of(job.first(), 0).value()),
                of.texts(NewJob::mesh),
                of.texts(NewJob::workflow),
                of.ints(NewJob::version),
                of.ints(NewJob::priority),
                of.bytes(NewJob::input),
                of.longs(job -> job.delay().toMillis()),
                of.texts(NewJob::owner),
                of.uuids(job -> job.parent() == null ? null : job.parent().job().value()),
                of.uuids(job ->
                        job.parent() == null ? null : Guid.of(job.parent(), 0).value()),
                of.texts(job -> job.parent() == null ? null : job.parent().path()),
                of.texts(job -> job.parent() == null ? null : job.parent().name()),
                of.uuids(job ->
                        job.continuedFrom() == null ? null : job.continuedFrom().value()),
                of.texts(NewJob::trigger),
                of.texts(job -> job.key() == null ? null : job.key().key().value()),
                of.texts(job -> job.key() == null ? null : job.key().scope().member()),
                lease.toMillis());
    }

    /** Writes the additional rows of those jobs that were just started: deadlines, lanes, inherited attributes and traces. */
    void insertOptions(Tx tx, List<NewJob> jobs) throws SQLException {
        List<NewJob> timed = jobs.stream().filter(NewJob::isTimed).toList();
        if (!timed.isEmpty()) {
            limit(tx, timed);
        }
        List<NewJob> laned = jobs.stream().filter(NewJob::hasLane).toList();
        if (!laned.isEmpty()) {
            lanes.enter(tx, laned);
        }
        List<NewJob> again =
                jobs.stream().filter(job -> job.continuedFrom() != null).toList();
        if (!again.isEmpty()) {
            attributes.inherit(tx, again);
        }
        List<NewJob> traced = jobs.stream().filter(NewJob::isTraced).toList();
        if (!traced.isEmpty()) {
            traces.keep(tx, traced);
        }
    }

    private static void limit(Tx tx, List<NewJob> timed) throws SQLException {
        Columns<NewJob> of = new Columns<>(timed);
        tx.update(
                LIMIT,
                of.uuids(job -> job.id().value()),
                of.uuids(job -> Guid.of(Ending.TIMEOUT.of(job.id()), 0).value()),
                of.longs(NewJob::limitMillis));
    }

    public Optional<JobView> read(Tx tx, JobId id) throws SQLException {
        return tx.first(READ, JobStore::view, id.value());
    }

    /** The closed ones among the jobs. */
    public List<JobView> closedAmong(Tx tx, Collection<JobId> jobs) throws SQLException {
        UUID[] ids = jobs.stream().map(JobId::value).toArray(UUID[]::new);
        return tx.query(CLOSED_AMONG, JobStore::view, (Object) ids);
    }

    public List<JobId> openChildren(Tx tx, Collection<JobId> parents) throws SQLException {
        UUID[] ids = parents.stream().map(JobId::value).toArray(UUID[]::new);
        return tx.query(OPEN_CHILDREN, row -> new JobId(row.getObject("id", UUID.class)), (Object) ids);
    }

    public List<RecordedActivity> activities(Tx tx, JobId job) throws SQLException {
        return tx.query(ACTIVITIES, JobStore::recordedActivity, job.value());
    }

    Optional<RecordedActivity> activity(Tx tx, ActivityId id) throws SQLException {
        return tx.first(ACTIVITY, JobStore::recordedActivity, id.job().value(), id.path(), id.name());
    }

    private static RecordedActivity recordedActivity(ResultSet row) throws SQLException {
        return new RecordedActivity(
                row.getString("path"),
                row.getString("name"),
                new ActivityLedger(row.getLong("ledger")),
                row.getInt("attempts"),
                row.getBytes("output"),
                row.getString("error"));
    }

    private static JobView view(ResultSet row) throws SQLException {
        String outcome = row.getString("outcome");
        return new JobView(
                new JobId(row.getObject("id", UUID.class)),
                row.getString("mesh"),
                row.getString("workflow"),
                row.getInt("version"),
                row.getInt("semaphore"),
                Optional.ofNullable(outcome).map(JobOutcome::of),
                row.getBytes("output"),
                row.getString("error"),
                row.getTimestamp("created_at").toInstant(),
                Tx.instant(row, "closed_at"));
    }

    /** How the log describes jobs that were ended from outside: with the step that each had reached, if any. */
    public Map<JobId, FailureLog.Subject> subjects(Tx tx, Collection<JobId> ids) throws SQLException {
        Map<JobId, FailureLog.Subject> subjects = new HashMap<>();
        tx.query(SUBJECTS, JobStore::subject, (Object)
                        ids.stream().map(JobId::value).toArray(UUID[]::new))
                .forEach(about -> subjects.put(about.job(), about));
        return subjects;
    }

    private static FailureLog.Subject subject(ResultSet row) throws SQLException {
        String path = row.getString("path");
        String key = row.getString("keys_of");
        return new FailureLog.Subject(
                new JobId(row.getObject("id", UUID.class)),
                Queues.of(row.getString("workflow"), row.getInt("version")),
                path == null || path.isEmpty() ? key : key + ":" + path,
                row.getString("name"));
    }
}
