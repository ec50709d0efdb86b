package dev.tallystick.engine.record;

import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Checkpoint;
import dev.tallystick.engine.model.LedgerSql;
import dev.tallystick.engine.model.LegOne;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One statement for the most common checkpoints: the holder reports, for the first time, its steps' results, its next step or
 * its end ({@link Checkpoint#isPlain()}).
 *
 * <p>{@link CollationStore} computes from the ledgers what is known in advance here: no digit is set yet, because the
 * transition is not recorded, and no other process can record it while its job and posting are locked. If a row exists all the
 * same, its primary key rejects the statement. The resulting rows are the same as those that {@link CollationStore} would
 * write.
 */
final class FastCheckpointStore {

    //   move ──▶ held: its job is open, its lease is current, nothing of it is recorded
    //              ├──▶ entered    the steps of this checkpoint, with their results
    //              ├──▶ answered   the job's own activity, if the job ends
    //              ├──▶ told       a transition for each result
    //   ending ────┴──▶ closed ──▶ ended         announced, if the workflow is watched
    //                        ├───▶ queued        to be sealed, if jobs are
    //                        └───▶ acknowledged  the posting goes
    //
    // "is true" makes Postgres hash the held jobs; a join would compare every row with every job. Each locking or
    // checking read has its own subquery so that it becomes a lookup per row: the planner turns joins into scans while
    // the tables are small.
    private static final String MOVE = LedgerSql.in("""
            with move as (
                select unnest(?::uuid[]) as job_id, unnest(?::uuid[]) as guid, unnest(?::bigint[]) as fence,
                    unnest(?::uuid[]) as witness
            ),
            ending as (
                select unnest(?::uuid[]) as job_id, unnest(?::uuid[]) as guid, unnest(?::text[]) as outcome,
                    unnest(?::bytea[]) as output, unnest(?::text[]) as error, '' as path, '$main' as name
            ),
            held as (
                select i.job_id as id
                from (select * from move order by job_id) i
                cross join lateral (
                    select 1
                    from tally.job j
                    where j.id = i.job_id
                        and j.closed_by is null
                    for update skip locked
                ) j
                cross join lateral (
                    select p.path, p.name
                    from tally.posting p
                    where p.job_id = i.job_id
                        and p.guid = i.guid
                        and p.fence = i.fence
                    for update skip locked
                ) p
                where not exists (select 1 from tally.guid g where g.job_id = i.job_id and g.guid = i.witness offset 0)
                    and not exists (
                        select 1
                        from tally.activity a
                        where a.job_id = i.job_id and a.path = p.path and a.name = p.name
                            and a.ledger % {COMPLETION_TASKS_DONE} > 0
                        offset 0
                    )
            ),
            entered as (
                insert into tally.activity (job_id, path, name, kind, ledger, attempts, output, error, entered_at)
                select job_id, path, name, kind,
                    {LEG1_ATTEMPTS} + {LEG1_COMPLETE}
                        + case when done then {WORK_DONE} + {CHILDREN_SPAWNED} + 1 else 0 end,
                    1, output, error, least(now(), clock_timestamp() - age_micros * interval '1 microsecond')
                from (
                    select unnest(?::uuid[]) as job_id, unnest(?::text[]) as path, unnest(?::text[]) as name,
                        unnest(?::text[]) as kind, unnest(?::bool[]) as done, unnest(?::bytea[]) as output,
                        unnest(?::text[]) as error, unnest(?::bigint[]) as age_micros
                ) as i
                where (job_id in (select id from held)) is true
            ),
            answered as (
                update tally.activity a
                set ledger = a.ledger + 1
                        + case when (a.ledger / {WORK_DONE}) % 10 = 0 then {WORK_DONE} else 0 end
                        + case when (a.ledger / {CHILDREN_SPAWNED}) % 10 = 0 then {CHILDREN_SPAWNED} else 0 end
                        + case when (a.ledger / {COMPLETION_TASKS_DONE}) % 10 = 0 then {COMPLETION_TASKS_DONE} else 0 end,
                    output = i.output,
                    error = i.error
                from ending i
                where a.job_id = i.job_id and a.path = i.path and a.name = i.name
                    and (i.job_id in (select id from held)) is true
            ),
            told as (
                insert into tally.guid (job_id, guid, path, name, ordinal, fence, ledger)
                select job_id, guid, path, name, 0, fence,
                    {WORK_DONE} + {CHILDREN_SPAWNED} + 1
                        + case when ends then {JOB_CLOSED} + {COMPLETION_TASKS_DONE} else 0 end
                from (
                    select unnest(?::uuid[]) as job_id, unnest(?::uuid[]) as guid, unnest(?::text[]) as path,
                        unnest(?::text[]) as name, unnest(?::bigint[]) as fence, unnest(?::bool[]) as ends
                ) as i
                where (job_id in (select id from held)) is true
            ),
            closed as (
                update tally.job j
                set semaphore = 0, closed_by = i.guid, closed_at = now(),
                    outcome = i.outcome, output = i.output, error = i.error
                from ending i
                where j.id = i.job_id
                    and (i.job_id in (select id from held)) is true
                returning j.id, j.closed_by, j.mesh, j.workflow
            ),
            ended as (
                insert into tally.ended_job (job_id)
                select c.id
                from closed c
                where exists (select from tally.end_watch w where w.mesh = c.mesh and w.workflow = c.workflow)
            ),
            queued as (
                insert into tally.seal_queue (closed)
                select array_agg(id order by id)
                from closed
                where exists (select from tally.seal_log)
                having count(*) > 0
            ),
            acknowledged as (
                delete from tally.posting p
                using closed c
                where p.job_id = c.id and p.guid = c.closed_by
            )
            select id
            from held
            """);

    /** An activity that is entered here, and its result if it is already done. */
    private record Entry(LegOne dispatch, @Nullable LegTwo result) {}

    /**
     * Applies the plain checkpoints whose job is open, whose lease stands, which have nothing recorded and which no other transaction
     * has locked. Skips all others.
     *
     * @param moved receives the jobs that moved, once the statement has run
     */
    void enqueue(Tx tx, List<Checkpoint> checkpoints, Consumer<JobId> moved) throws SQLException {
        List<Entry> entries = new ArrayList<>();
        List<LegTwo> results = new ArrayList<>();
        List<LegTwo> ends = new ArrayList<>();
        for (Checkpoint checkpoint : checkpoints) {
            Map<ActivityId, LegTwo> brought =
                    HashMap.newHashMap(checkpoint.results().size());
            for (LegTwo result : checkpoint.results()) {
                results.add(result);
                if (result.ends()) {
                    ends.add(result);
                } else {
                    brought.put(result.activity(), result);
                }
            }
            checkpoint
                    .dispatches()
                    .forEach(dispatch -> entries.add(new Entry(dispatch, brought.get(dispatch.activity()))));
        }
        List<Object> parameters = new ArrayList<>();
        parameters.addAll(holding(new Columns<>(checkpoints)));
        parameters.addAll(ending(new Columns<>(ends)));
        parameters.addAll(entering(new Columns<>(entries)));
        parameters.addAll(telling(new Columns<>(results)));
        tx.queryLater(
                MOVE,
                row -> {
                    JobId job = new JobId(row.getObject("id", UUID.class));
                    moved.accept(job);
                    return job;
                },
                parameters.toArray());
    }

    private static List<Object> holding(Columns<Checkpoint> of) {
        return List.of(
                of.uuids(checkpoint -> checkpoint.job().value()),
                of.uuids(checkpoint -> checkpoint.lease().guid().value()),
                of.longs(checkpoint -> checkpoint.lease().fence()),
                of.uuids(checkpoint -> checkpoint.results().getFirst().guid().value()));
    }

    private static List<Object> ending(Columns<LegTwo> ends) {
        return List.of(
                ends.uuids(end -> end.activity().job().value()),
                ends.uuids(end -> end.guid().value()),
                ends.texts(end -> end.outcome() == null ? null : end.outcome().text()),
                ends.bytes(LegTwo::output),
                ends.texts(LegTwo::error));
    }

    private static List<Object> entering(Columns<Entry> entered) {
        return List.of(
                entered.uuids(entry -> entry.dispatch().activity().job().value()),
                entered.texts(entry -> entry.dispatch().activity().path()),
                entered.texts(entry -> entry.dispatch().activity().name()),
                entered.texts(entry -> entry.dispatch().kind()),
                entered.flags(entry -> entry.result() != null),
                entered.bytes(
                        entry -> entry.result() == null ? null : entry.result().output()),
                entered.texts(
                        entry -> entry.result() == null ? null : entry.result().error()),
                entered.longs(entry -> entry.dispatch().ageMicros()));
    }

    private static List<Object> telling(Columns<LegTwo> told) {
        return List.of(
                told.uuids(result -> result.activity().job().value()),
                told.uuids(result -> result.guid().value()),
                told.texts(result -> result.activity().path()),
                told.texts(result -> result.activity().name()),
                told.longs(LegTwo::fence),
                told.flags(LegTwo::ends));
    }
}
