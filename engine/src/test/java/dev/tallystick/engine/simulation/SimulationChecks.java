package dev.tallystick.engine.simulation;

import dev.tallystick.sql.Database;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/** What must hold of a database that many engines have worked on, whatever happened to them. */
final class SimulationChecks {

    private final Database database;

    SimulationChecks(Database database) {
        this.database = database;
    }

    /** What must hold of every committed state. */
    List<String> wrongAtAnyTime() {
        return query("""
                select 'recorded and still posted: ' || p.job_id || ' ' || p.path || ' ' || p.name as violation
                    from tally.posting p
                    join tally.guid g on g.job_id = p.job_id and g.guid = p.guid
                    where (g.ledger / 10000000000) % 10 = 1
                        and p.name <> '$cancel'
                        and not exists (
                            select from tally.activity a
                            where a.job_id = p.job_id and a.path = p.path and a.name = p.name and a.kind = 'child'
                                and a.error like 'its branch was ended%')
                union all
                select 'open behind a decision: ' || a.job_id || ' ' || a.path || ' ' || a.name
                    from tally.activity choice
                    join tally.activity a on a.job_id = choice.job_id and starts_with(a.path, choice.path || '.')
                    join tally.job j on j.id = a.job_id
                    where choice.kind = 'fork' and (a.ledger / 10000000000) % 10 = 0
                        and coalesce(j.outcome, 'completed') = 'completed'
                union all
                select 'a signal with a wait without a reader: ' || s.job_id || ' ' || g.path
                    from tally.signal s
                    join tally.guid g on g.job_id = s.job_id and g.guid = s.taken_by
                    join tally.activity a on a.job_id = g.job_id and a.path = g.path and a.name = g.name
                    where a.error like 'its branch was ended%'
                union all
                select 'a task without a waiting job: ' || t.job_id || ' ' || t.id
                    from tally.task t
                    join tally.activity a on a.job_id = t.job_id and a.name = '$await:$task:' || t.id
                    where t.resolved_at is null and t.expired_at is null
                        and a.error like 'its branch was ended%'
                union all
                select 'semaphore ' || j.semaphore || ' with ' || count(a.path) || ' branches open: ' || j.id
                    from tally.job j
                    join tally.activity body on body.job_id = j.id and body.path = '' and body.kind = 'body'
                    left join tally.activity a
                        on a.job_id = j.id and a.kind = 'branch' and (a.ledger / 10000000000) % 10 = 0
                    where j.closed_by is null
                    group by j.id, j.semaphore
                    having j.semaphore <> 1 + count(a.path)
                union all
                select 'semaphore ' || semaphore || ' with ' || open || ' activities of a graph open: ' || id
                    from (select j.id, j.semaphore,
                            (select count(*) from tally.posting p
                                where p.job_id = j.id and p.source is null and p.queue <> '$engine')
                            + (select count(*) from tally.activity a
                                where a.job_id = j.id and a.kind = 'await' and (a.ledger / 10000000000) % 10 = 0)
                            + (select count(*) from tally.activity a
                                where a.job_id = j.id and a.arrived is not null and (a.ledger / 100000000000) % 10 = 0)
                            as open
                        from tally.job j
                        join tally.activity t on t.job_id = j.id and t.path = '' and t.kind = 'trigger'
                        where j.closed_by is null) as graphs
                    where semaphore <> open
                union all
                select 'one effect, ' || count(*) || ' times: ' || job from effect group by job having count(*) > 1
                """);
    }

    /** The end of a job may be asked for once more while it is under way, by those who must not wait for it. That goes away. */
    List<String> stillAskedToEnd() {
        return query("""
                select 'ended and still asked to end: ' || p.job_id as violation
                    from tally.posting p
                    join tally.guid g on g.job_id = p.job_id and g.guid = p.guid
                    where p.name = '$cancel'
                """);
    }

    /** What must hold of jobs that have closed within so many seconds. */
    List<String> wrongAmongClosed(int seconds) {
        return query("""
                with closed as (
                    select * from tally.job where closed_at > now() - ? * interval '1 second'
                )
                select 'a result that is not the recorded one: ' || id || ' ' || told || ' ' || made as violation
                    from (select j.id, convert_from(j.output, 'UTF8') as told,
                            '"' || string_agg(trim(both '"' from convert_from(a.output, 'UTF8')), ''
                                order by a.path collate "C", a.name collate "C") || '"' as made
                        from closed j
                        join tally.activity a on a.job_id = j.id and convert_from(a.output, 'UTF8') like '"[%'
                            and a.kind in ('step', 'worker')
                        where j.outcome = 'completed'
                        group by j.id, j.output) as results
                    where told <> made
                union all
                select 'failed: ' || id || ' ' || coalesce(error, '') from closed where outcome = 'failed'
                union all
                select 'entries ' || a.ledger % 100000000 || ' for ' || coalesce(sum(g.ledger % 100000000), 0)
                        || ' attempts: ' || a.job_id || ' ' || a.path || ' ' || a.name
                    from closed j
                    join tally.activity a on a.job_id = j.id
                    left join tally.guid g on g.job_id = a.job_id and g.path = a.path and g.name = a.name
                    group by a.job_id, a.path, a.name, a.ledger
                    having a.ledger % 100000000 <> coalesce(sum(g.ledger % 100000000), 0)
                union all
                select 'rounds ' || string_agg(a.path || ' ' || a.name, ',') || ': ' || j.id
                    from closed j
                    join tally.activity a on a.job_id = j.id and a.name in ('count', 'beside')
                    where j.workflow = 'g_cycle' and j.outcome = 'completed'
                    group by j.id
                    having count(*) <> 6 or count(distinct a.path) <> 3
                """, seconds);
    }

    /** How each job without a parent ended, and whether that may be so. */
    List<String> wrongOutcomes(Set<JobId> cancelled) {
        return query("""
                select id || ' of ' || workflow || ' ended ' || coalesce(outcome, 'never') as violation
                from (select *, (select count(*) from effect where job = id) as effects from tally.job) as j
                where parent_job is null
                    and (outcome is distinct from 'completed' or (effects = 1) <> (workflow = 'paying'))
                    and not (outcome = 'cancelled' and id = any(?))
                """, (Object) cancelled.stream().map(JobId::value).toArray(UUID[]::new));
    }

    /** Callers who were told an end that is not the job's. */
    List<String> wronglyTold(Map<JobId, Closed> told) {
        return database
                .transact(
                        "told",
                        tx -> tx.query("select id, outcome, output from tally.job where outcome is not null", row -> {
                            JobId job = JobId.parse(row.getString("id"));
                            Closed said = told.get(job);
                            return said == null
                                            || (said.outcome().text().equals(row.getString("outcome"))
                                                    && Arrays.equals(said.output(), row.getBytes("output")))
                                    ? ""
                                    : "told " + said + " of job " + job;
                        }))
                .stream()
                .filter(line -> !line.isEmpty())
                .toList();
    }

    /** Signals that were acknowledged and are not there. */
    List<String> lostSignals(Set<JobId> acknowledged) {
        Set<JobId> there = new HashSet<>(database.transact(
                "signals",
                tx -> tx.query("select job_id from tally.signal", row -> JobId.parse(row.getString("job_id")))));
        return acknowledged.stream()
                .filter(job -> !there.contains(job))
                .map(job -> "a signal was acknowledged and is lost: " + job)
                .toList();
    }

    private List<String> query(String statement, Object... parameters) {
        return database.transact(
                "check",
                tx -> tx.query(statement, row -> Objects.requireNonNull(row.getString("violation")), parameters));
    }
}
