package dev.tallystick.engine.record;

import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Lane;
import dev.tallystick.engine.model.LaneRule;
import dev.tallystick.engine.model.LeasedJob;
import dev.tallystick.engine.model.NewJob;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

/** The lane table, and the postings of jobs that have a limit. One method is one statement; the caller owns the transaction. */
final class LaneStore {

    // A job that the same call started before its reply was lost may have begun by now: it stays in its queue.
    private static final String ENTER = """
            update tally.posting p
            set queue = i.queue
            from unnest(?::uuid[], ?::uuid[], ?::text[]) as i (job_id, guid, queue)
            where p.job_id = i.job_id and p.guid = i.guid and p.fence = 0
                and not exists (select 1 from tally.posting x where x.job_id = p.job_id and x.name = '$place')
            """;

    // A lane qualifies if one of its postings is due, a place is free, and either a job has already begun or the rate
    // allows another start. The lane whose job has waited longest comes first.
    private static final String OPEN = DuePostingStore.ALL_LANES + """
            , rule as (
                select *
                from unnest(?::text[], ?::int[], ?::int[], ?::bigint[]) as r (workflow, concurrency, starts, per_millis)
            ),
            piece as (
                select l.queue, l.mesh, m.part[1] as workflow, m.part[3] as key, m.part[4] = '*' as begun,
                    m.part[1] || '@' || m.part[2] = any(?::text[]) as here
                from lane l
                cross join lateral (
                    select regexp_match(l.queue, '^([^@]+)@([0-9]+)\\[(.*)\\](\\*?)$') as part
                ) m
                where m.part is not null
            ),
            state as (
                select p.mesh, p.workflow, p.key, array_agg(distinct p.queue) as queues,
                    coalesce(sum(c.running) filter (where p.begun), 0) as running,
                    min(c.due) filter (where p.here) as due,
                    bool_or(c.due is not null and p.here and p.begun) as resumes
                from piece p
                cross join lateral (
                    select min(s.due) as due, sum(s.running) as running
                    from (values (0), (1), (2)) as u (priority)
                    cross join lateral (
                        select
                            (select x.visible_at from tally.posting x
                                where x.queue = p.queue and x.mesh = p.mesh and x.priority = u.priority
                                    and x.visible_at <= now()
                                order by x.visible_at
                                limit 1) as due,
                            (select count(*) from tally.posting x
                                where x.queue = p.queue and x.mesh = p.mesh and x.priority = u.priority
                                    and x.visible_at > now() and x.visible_at < 'infinity' and x.owner is not null) as running
                    ) s
                ) c
                group by p.mesh, p.workflow, p.key
            )
            select s.mesh, s.workflow, s.key, s.queues
            from state s
            join rule r on r.workflow = s.workflow
            left join tally.lane l on l.mesh = s.mesh and l.workflow = s.workflow and l.key = s.key
            where s.due is not null
                and s.running < r.concurrency
                and (s.resumes or r.starts > (
                    select count(*)
                    from unnest(l.starts) as b (begun_at)
                    where b.begun_at > now() - r.per_millis * interval '1 millisecond'
                ))
            order by s.due
            limit ?
            """;

    private static final String MAKE = """
            insert into tally.lane (mesh, workflow, key)
            select *
            from unnest(?::text[], ?::text[], ?::text[])
            order by 1, 2, 3
            on conflict (mesh, workflow, key) do nothing
            """;

    private static final String LOCK = """
            select l.mesh, l.workflow, l.key, l.queues
            from tally.lane l
            join unnest(?::text[], ?::text[], ?::text[]) as i (mesh, workflow, key)
                on i.mesh = l.mesh and i.workflow = l.workflow and i.key = l.key
            order by l.mesh, l.workflow, l.key
            for no key update of l skip locked
            """;

    private static final String AWAIT_LOCK = LOCK.replace("skip locked", "");

    // A statement of its own after the lock, so that it sees what the last holder of the lock has leased. What has
    // begun
    // goes before what has not: to finish frees places.
    private static final String ALLOWED = """
            with place as (
                select *
                from unnest(?::int[], ?::text[], ?::text[], ?::bool[], ?::bool[]) as q (lane, mesh, queue, begun, here)
            ),
            room as (
                select c.lane, c.concurrency - (
                        select count(*)
                        from place q
                        cross join (values (0), (1), (2)) as u (priority)
                        join tally.posting p on p.queue = q.queue and p.mesh = q.mesh and p.priority = u.priority
                        where q.lane = c.lane and q.begun
                            and p.visible_at > now() and p.visible_at < 'infinity' and p.owner is not null
                    ) as places,
                    c.starts - (
                        select count(*)
                        from tally.lane l
                        cross join unnest(l.starts) as b (begun_at)
                        where l.mesh = c.mesh and l.workflow = c.workflow and l.key = c.key
                            and b.begun_at > now() - c.per_millis * interval '1 millisecond'
                    ) as starts
                from unnest(?::int[], ?::text[], ?::text[], ?::text[], ?::int[], ?::int[], ?::bigint[])
                    as c (lane, mesh, workflow, key, concurrency, starts, per_millis)
            ),
            candidate as (
                select r.lane, r.places, d.job_id, d.guid,
                    row_number() over (partition by r.lane order by q.begun desc, u.priority, d.visible_at) as turn
                from room r
                join place q on q.lane = r.lane and q.here
                cross join (values (0), (1), (2)) as u (priority)
                cross join lateral (
                    select p.job_id, p.guid, p.visible_at
                    from tally.posting p
                    where p.queue = q.queue
                        and p.mesh = q.mesh
                        and p.priority = u.priority
                        and p.visible_at <= now()
                    order by p.visible_at
                    limit greatest(0, least(?, r.places, case when q.begun then r.places else r.starts end))
                    for update skip locked
                ) d
            ),
            allowed as (
                select c.*, p.queue, p.owner is not null as was_lost,
                    count(*) filter (where p.fence = 0) over (partition by c.lane order by c.turn) as begins
                from candidate c
                join tally.posting p on p.job_id = c.job_id and p.guid = c.guid
                where c.turn <= c.places
            ),
            due as materialized (
                select a.job_id, a.guid, a.lane, a.queue, a.was_lost
                from allowed a
                join room r on r.lane = a.lane
                where a.queue like '%*' or a.begins <= r.starts
                order by a.turn, a.lane
                limit ?
            )
            """;

    private static final String LEASE = ALLOWED + """
            , leased as (
                update tally.posting p
                set visible_at = now() + ? * interval '1 millisecond', fence = p.fence + 1, owner = ?,
                    attempts = p.attempts + 1, queue = case when p.queue like '%*' then p.queue else p.queue || '*' end
                from due d
                where p.job_id = d.job_id and p.guid = d.guid
                returning p.job_id, p.guid, p.fence, p.path, p.name, p.queue, d.lane, d.was_lost
            )
            """ + DuePostingStore.BODIES;

    // Locks the jobs too, so that an end that is under way sees the place which is made, or is left alone here.
    private static final String ADMIT = ALLOWED + """
            , open as materialized (
                select d.job_id, d.guid, d.lane, d.queue
                from due d
                join tally.job j on j.id = d.job_id
                where j.closed_by is null
                for no key update of j skip locked
            )
            update tally.posting p
            set queue = split_part(p.queue, '[', 1), visible_at = now()
            from open o
            where p.job_id = o.job_id and p.guid = o.guid
            returning p.job_id, p.mesh, p.priority, o.lane, o.queue || '*' as queue
            """;

    // It has an owner and an end, so it is counted as a lease is. That end never comes: the end of the job deletes it.
    private static final String TAKE_PLACE = """
            insert into tally.posting (job_id, guid, mesh, queue, priority, visible_at, owner, path, name)
            select job_id, guid, mesh, queue, priority, timestamptz '9999-01-01Z', '$graph', '', '$place'
            from unnest(?::uuid[], ?::uuid[], ?::text[], ?::text[], ?::int[]) as i (job_id, guid, mesh, queue, priority)
            on conflict (job_id, guid) do nothing
            """;

    // Beginnings that no rate looks back at any more are forgotten.
    private static final String NOTE = """
            with used as (
                select *
                from unnest(?::int[], ?::text[]) as u (lane, queue)
            )
            update tally.lane l
            set queues = array(
                    select q from unnest(l.queues) as q
                    union
                    select u.queue from used u where u.lane = i.lane
                ),
                starts = array(
                        select b
                        from unnest(l.starts) as b
                        where b > now() - i.per_millis * interval '1 millisecond'
                    ) || array_fill(now(), array[i.begun]),
                used_at = now()
            from unnest(?::int[], ?::text[], ?::text[], ?::text[], ?::int[], ?::bigint[])
                as i (lane, mesh, workflow, key, begun, per_millis)
            where l.mesh = i.mesh and l.workflow = i.workflow and l.key = i.key
            """;

    private static final String FORGET = """
            delete from tally.lane
            where (mesh, workflow, key) in (
                select l.mesh, l.workflow, l.key
                from tally.lane l
                where l.used_at < now() - ? * interval '1 millisecond'
                    and not exists (select 1 from tally.posting p where p.queue = any(l.queues) and p.mesh = l.mesh)
                limit ?
                for update skip locked
            )
            """;

    /** A lane and its queues. */
    record Open(Lane lane, List<String> queues) {}

    /** Something of a lane that has its turn, and the queue in which it holds its place. */
    interface Taken {
        int lane();

        String queue();
    }

    /** A body, and where it waits from now on. */
    record Leased(LeasedJob body, int lane, String queue) implements Taken {}

    /** A job of a graph that may begin, and that holds a place until it ends. */
    record Admitted(JobId job, String mesh, int priority, int lane, String queue) implements Taken {}

    /** What was leased from a lane; {@code begun} counts the jobs leased for the first time. */
    record Note(int number, Lane lane, int begun, Duration per) {}

    /** Puts newly started jobs into their lanes. */
    void enter(Tx tx, List<NewJob> jobs) throws SQLException {
        Columns<NewJob> of = new Columns<>(jobs);
        tx.update(
                ENTER,
                of.uuids(job -> job.id().value()),
                of.uuids(job -> Guid.of(job.first(), 0).value()),
                of.texts(NewJob::queueOfLane));
    }

    /** Lanes that this process can probably lease from; read without a lock. */
    List<Open> open(Tx tx, List<LaneRule> rules, Collection<String> here, int limit) throws SQLException {
        Columns<LaneRule> of = new Columns<>(rules);
        return tx.query(
                OPEN,
                LaneStore::open,
                of.texts(LaneRule::workflow),
                of.ints(LaneRule::concurrency),
                of.ints(LaneRule::starts),
                of.longs(rule -> rule.per().toMillis()),
                here.toArray(String[]::new),
                limit);
    }

    /** Locks the lanes, or only those that are not locked. */
    List<Open> lock(Tx tx, List<Lane> lanes, boolean wait) throws SQLException {
        Columns<Lane> of = new Columns<>(lanes);
        Object[] keys = {of.texts(Lane::mesh), of.texts(Lane::workflow), of.texts(Lane::key)};
        tx.update(MAKE, keys);
        return tx.query(wait ? AWAIT_LOCK : LOCK, LaneStore::open, keys);
    }

    /** A queue of one of the locked lanes. */
    record Place(int lane, String mesh, String queue, boolean here) {}

    /** Lanes that are locked, with their rules and queues. The n-th rule is that of the n-th lane. */
    record Locked(List<Lane> lanes, List<LaneRule> rules, List<Place> places) {

        private List<Object> parameters(int limit) {
            Columns<Place> of = new Columns<>(places);
            Columns<Lane> lane = new Columns<>(lanes);
            Columns<LaneRule> rule = new Columns<>(rules);
            int[] numbers = new int[lanes.size()];
            Arrays.setAll(numbers, i -> i);
            return List.of(
                    of.ints(Place::lane),
                    of.texts(Place::mesh),
                    of.texts(Place::queue),
                    of.flags(place -> Lane.isBegun(place.queue())),
                    of.flags(Place::here),
                    numbers,
                    lane.texts(Lane::mesh),
                    lane.texts(Lane::workflow),
                    lane.texts(Lane::key),
                    rule.ints(LaneRule::concurrency),
                    rule.ints(LaneRule::starts),
                    rule.longs(each -> each.per().toMillis()),
                    limit,
                    limit);
        }
    }

    /** Leases from lanes as far as their limits allow. */
    List<Leased> lease(Tx tx, Locked locked, int limit, Duration lease, String owner) throws SQLException {
        long askedAt = System.nanoTime();
        List<Object> parameters = new ArrayList<>(locked.parameters(limit));
        Collections.addAll(parameters, lease.toMillis(), owner);
        return tx.query(
                LEASE,
                row -> new Leased(DuePostingStore.leasedBody(row, askedAt), row.getInt("lane"), row.getString("queue")),
                parameters.toArray());
    }

    /** Lets jobs of graphs begin as far as the limits of the lanes allow. Each takes a place until it ends. */
    List<Admitted> admit(Tx tx, Locked locked, int limit) throws SQLException {
        List<Admitted> admitted = tx.query(
                ADMIT,
                row -> new Admitted(
                        new JobId(row.getObject("job_id", UUID.class)),
                        row.getString("mesh"),
                        row.getInt("priority"),
                        row.getInt("lane"),
                        row.getString("queue")),
                locked.parameters(limit).toArray());
        if (!admitted.isEmpty()) {
            Columns<Admitted> of = new Columns<>(admitted);
            tx.update(
                    TAKE_PLACE,
                    of.uuids(each -> each.job().value()),
                    of.uuids(each ->
                            Guid.of(new ActivityId(each.job(), "", "$place"), 0).value()),
                    of.texts(Admitted::mesh),
                    of.texts(Admitted::queue),
                    of.ints(Admitted::priority));
        }
        return admitted;
    }

    /** Notes what was taken, with one note for each lane. */
    void note(Tx tx, List<Note> notes, List<? extends Taken> taken) throws SQLException {
        Columns<Note> of = new Columns<>(notes);
        Columns<Taken> used = new Columns<>(List.copyOf(taken));
        tx.update(
                NOTE,
                used.ints(Taken::lane),
                used.texts(Taken::queue),
                of.ints(Note::number),
                of.texts(note -> note.lane().mesh()),
                of.texts(note -> note.lane().workflow()),
                of.texts(note -> note.lane().key()),
                of.ints(Note::begun),
                of.longs(note -> note.per().toMillis()));
    }

    /** Deletes lanes that have no job and have been unused for this long; returns how many. */
    int forget(Tx tx, Duration unused, int limit) throws SQLException {
        return tx.update(FORGET, unused.toMillis(), limit);
    }

    private static Open open(ResultSet row) throws SQLException {
        return new Open(
                new Lane(row.getString("mesh"), row.getString("workflow"), row.getString("key")),
                List.of((String[]) row.getArray("queues").getArray()));
    }
}
