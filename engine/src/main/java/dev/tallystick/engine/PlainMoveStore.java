package dev.tallystick.engine;

import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Two statements for the moves that almost all moves are: a holder says for the first time what its steps brought, what it begins
 * next, or that it is done ({@link Move#isPlain()}). The first statement locks and looks, the second only writes.
 *
 * <p>What {@link CollationStore} works out from the ledgers is known beforehand here: no digit is set yet, because the transition
 * is not recorded, and nobody else can record it while its job and posting are locked. Should a row be there all the same, its
 * primary key refuses the statement. The rows that this leaves are those that {@link CollationStore} would leave.
 */
final class PlainMoveStore {

    private static final String HOLD = Weights.in("""
            select p.job_id, p.fence, j.closed_by is not null as closed,
                not exists (select 1 from tally.guid g where g.job_id = i.job_id and g.guid = i.witness)
                    and not exists (
                        select 1
                        from tally.activity a
                        where a.job_id = i.job_id and a.path = i.path and a.name = i.name
                            and a.ledger % {COMPLETION_TASKS_DONE} > 0
                    )
                    and not exists (
                        select 1
                        from tally.activity a
                        where a.job_id = i.job_id and a.path = p.path and a.name = p.name
                            and a.ledger % {COMPLETION_TASKS_DONE} > 0
                    ) as is_first,
                exists (select from tally.end_watch) as ends_are_watched
            from unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::text[], ?::text[]) as i (job_id, guid, witness, path, name)
            join tally.posting p on p.job_id = i.job_id and p.guid = i.guid
            join tally.job j on j.id = i.job_id
            order by j.id
            for update of j, p
            """);

    private static final String HOLD_FREE = HOLD + " skip locked";

    private static final String WRITE = Weights.in("""
            with entered as (
                insert into tally.activity (job_id, path, name, kind, ledger, attempts, output, error)
                select job_id, path, name, kind,
                    {LEG1_ATTEMPTS} + {LEG1_COMPLETE}
                        + case when done then {WORK_DONE} + {CHILDREN_SPAWNED} + 1 else 0 end,
                    1, output, error
                from unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::bool[], ?::bytea[], ?::text[])
                    as i (job_id, path, name, kind, done, output, error)
            ),
            answered as (
                update tally.activity a
                set ledger = a.ledger + 1
                        + case when (a.ledger / {WORK_DONE}) % 10 = 0 then {WORK_DONE} else 0 end
                        + case when (a.ledger / {CHILDREN_SPAWNED}) % 10 = 0 then {CHILDREN_SPAWNED} else 0 end
                        + case when i.ends and (a.ledger / {COMPLETION_TASKS_DONE}) % 10 = 0
                            then {COMPLETION_TASKS_DONE} else 0 end,
                    output = i.output,
                    error = i.error
                from unnest(?::uuid[], ?::text[], ?::text[], ?::bool[], ?::bytea[], ?::text[])
                    as i (job_id, path, name, ends, output, error)
                where a.job_id = i.job_id and a.path = i.path and a.name = i.name
            ),
            told as (
                insert into tally.guid (job_id, guid, path, name, ordinal, fence, ledger)
                select job_id, guid, path, name, 0, fence,
                    {WORK_DONE} + {CHILDREN_SPAWNED} + 1
                        + case when ends then {JOB_CLOSED} + {COMPLETION_TASKS_DONE} else 0 end
                from unnest(?::uuid[], ?::uuid[], ?::text[], ?::text[], ?::bigint[], ?::bool[])
                    as i (job_id, guid, path, name, fence, ends)
            ),
            closed as (
                update tally.job j
                set semaphore = 0, closed_by = i.guid, closed_at = now(),
                    outcome = i.outcome, output = i.output, error = i.error
                from unnest(?::uuid[], ?::uuid[], ?::text[], ?::bytea[], ?::text[])
                    as i (job_id, guid, outcome, output, error)
                where j.id = i.job_id
                returning j.id, j.closed_by, j.mesh, j.workflow
            )
            {ended}
            delete from tally.posting p
            using closed c
            where p.job_id = c.id and p.guid = c.closed_by
            """);

    private static final String RECORD = WRITE.replace("{ended}", "");

    private static final String RECORD_AND_TELL = WRITE.replace("{ended}", """
            , ended as (
                insert into tally.ended_job (job_id)
                select c.id
                from closed c
                where exists (select from tally.end_watch w where w.mesh = c.mesh and w.workflow = c.workflow)
            )
            """);

    /**
     * How a job and the posting of its body stand while they are locked.
     *
     * @param isFirst whether nothing of the move is recorded, and no Leg 2 of what it answers
     * @param endsAreWatched whether anybody wants to hear of the ends of any jobs
     */
    record Held(long fence, boolean jobClosed, boolean isFirst, boolean endsAreWatched) {}

    /**
     * Locks the jobs and the postings of the moves, in the order that everybody keeps.
     *
     * @param wait whether to wait for those that somebody else holds; if not, they are left out, like those that are gone
     */
    Map<JobId, Held> hold(Tx tx, List<Move> moves, boolean wait) throws SQLException {
        Map<JobId, Held> held = HashMap.newHashMap(moves.size());
        Columns<Move> of = new Columns<>(moves);
        tx.query(
                wait ? HOLD : HOLD_FREE,
                row -> held.put(
                        new JobId(row.getObject("job_id", UUID.class)),
                        new Held(
                                row.getLong("fence"),
                                row.getBoolean("closed"),
                                row.getBoolean("is_first"),
                                row.getBoolean("ends_are_watched"))),
                of.uuids(move -> move.job().value()),
                of.uuids(move -> move.lease().guid().value()),
                of.uuids(move -> move.results().isEmpty()
                        ? null
                        : move.results().getFirst().guid().value()),
                of.texts(move -> move.answeredLater().map(ActivityId::path).orElse(null)),
                of.texts(move -> move.answeredLater().map(ActivityId::name).orElse(null)));
        return held;
    }

    /** An activity that is entered here, and what it brought if it is done by now. */
    private record Entry(LegOne dispatch, @Nullable LegTwo result) {}

    /** Writes plain moves whose leases stand and whose jobs are open, as {@link #hold} has told under its locks. */
    void record(Tx tx, List<Move> moves, boolean endsAreWatched) throws SQLException {
        List<Entry> entries = new ArrayList<>();
        List<LegTwo> answered = new ArrayList<>();
        List<LegTwo> results = new ArrayList<>();
        for (Move move : moves) {
            Map<ActivityId, LegTwo> brought =
                    LinkedHashMap.newLinkedHashMap(move.results().size());
            move.results().forEach(result -> brought.put(result.activity(), result));
            move.dispatches()
                    .forEach(dispatch -> entries.add(new Entry(dispatch, brought.remove(dispatch.activity()))));
            answered.addAll(brought.values());
            results.addAll(move.results());
        }
        List<LegTwo> ends = results.stream().filter(LegTwo::ends).toList();
        write(
                tx,
                endsAreWatched ? RECORD_AND_TELL : RECORD,
                new Columns<>(entries),
                new Columns<>(answered),
                new Columns<>(results),
                new Columns<>(ends));
    }

    private static void write(
            Tx tx,
            String statement,
            Columns<Entry> entered,
            Columns<LegTwo> answered,
            Columns<LegTwo> told,
            Columns<LegTwo> ended)
            throws SQLException {
        tx.updateLater(
                statement,
                entered.uuids(entry -> entry.dispatch().activity().job().value()),
                entered.texts(entry -> entry.dispatch().activity().path()),
                entered.texts(entry -> entry.dispatch().activity().name()),
                entered.texts(entry -> entry.dispatch().kind()),
                entered.flags(entry -> entry.result() != null),
                entered.bytes(
                        entry -> entry.result() == null ? null : entry.result().output()),
                entered.texts(
                        entry -> entry.result() == null ? null : entry.result().error()),
                answered.uuids(result -> result.activity().job().value()),
                answered.texts(result -> result.activity().path()),
                answered.texts(result -> result.activity().name()),
                answered.flags(LegTwo::ends),
                answered.bytes(LegTwo::output),
                answered.texts(LegTwo::error),
                told.uuids(result -> result.activity().job().value()),
                told.uuids(result -> result.guid().value()),
                told.texts(result -> result.activity().path()),
                told.texts(result -> result.activity().name()),
                told.longs(LegTwo::fence),
                told.flags(LegTwo::ends),
                ended.uuids(end -> end.activity().job().value()),
                ended.uuids(end -> end.guid().value()),
                ended.texts(end -> end.outcome() == null ? null : end.outcome().text()),
                ended.bytes(LegTwo::output),
                ended.texts(LegTwo::error));
    }
}
