package dev.tallystick.engine;

import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/** The lane table, and the postings of jobs that have a limit. One method is one statement; the caller owns the transaction. */
final class LaneStore {

    // A job that the same call started before its reply was lost may have begun by now: it stays in its queue.
    private static final String ENTER = """
            update tally.posting p
            set queue = i.queue
            from unnest(?::uuid[], ?::uuid[], ?::text[]) as i (job_id, guid, queue)
            where p.job_id = i.job_id and p.guid = i.guid and p.fence = 0
            """;

    // Hops along the index from queue to queue and from mesh to mesh, so the cost grows with the number of keys that
    // have open jobs, not with the number of jobs. A lane qualifies if one of its postings is due, a place is free, and
    // either a job has already begun or the rate allows another start. The lane whose job has waited longest comes
    // first.
    private static final String OPEN = """
            with recursive hop as (
                (select queue, mesh from tally.posting order by queue, mesh limit 1)
                union all
                select n.queue, n.mesh
                from hop h
                cross join lateral (
                    select p.queue, p.mesh
                    from tally.posting p
                    where (p.queue, p.mesh) > (h.queue, h.mesh)
                    order by p.queue, p.mesh
                    limit 1
                ) n
            ),
            rule as (
                select *
                from unnest(?::text[], ?::int[], ?::int[], ?::bigint[]) as r (workflow, concurrency, starts, per_millis)
            ),
            piece as (
                select h.queue, h.mesh, m.part[1] as workflow, m.part[3] as key, m.part[4] = '*' as begun,
                    m.part[1] || '@' || m.part[2] = any(?::text[]) as here
                from hop h
                cross join lateral (
                    select regexp_match(h.queue, '^([^@]+)@([0-9]+)\\[(.*)\\](\\*?)$') as part
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

    // A separate statement after the lock, so that it sees what the lock's last holder leased. Jobs that have begun
    // come first, because finishing them frees places.
    private static final String LEASE = """
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
                select a.job_id, a.guid, a.lane, a.was_lost
                from allowed a
                join room r on r.lane = a.lane
                where a.queue like '%*' or a.begins <= r.starts
                order by a.turn, a.lane
                limit ?
            ),
            leased as (
                update tally.posting p
                set visible_at = now() + ? * interval '1 millisecond', fence = p.fence + 1, owner = ?,
                    attempts = p.attempts + 1, queue = case when p.queue like '%*' then p.queue else p.queue || '*' end
                from due d
                where p.job_id = d.job_id and p.guid = d.guid
                returning p.job_id, p.guid, p.fence, p.path, p.name, p.queue, d.lane, d.was_lost
            )
            """ + PostingStore.BODIES;

    // Drops starts older than the rate's period.
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

    /** A workflow's limit, as declared in code. */
    record Rule(String workflow, int concurrency, int starts, Duration per) {}

    /** A lane and its queues. */
    record Open(Lane lane, List<String> queues) {}

    /** A leased body, and its queue from now on. */
    record Leased(LeasedBody body, int lane, String queue) {}

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
    List<Open> open(Tx tx, List<Rule> rules, Collection<String> here, int limit) throws SQLException {
        Columns<Rule> of = new Columns<>(rules);
        return tx.query(
                OPEN,
                LaneStore::open,
                of.texts(Rule::workflow),
                of.ints(Rule::concurrency),
                of.ints(Rule::starts),
                of.longs(rule -> rule.per().toMillis()),
                here.toArray(String[]::new),
                limit);
    }

    /** Locks the lanes that are not locked yet. */
    List<Open> lock(Tx tx, List<Lane> lanes) throws SQLException {
        Columns<Lane> of = new Columns<>(lanes);
        Object[] keys = {of.texts(Lane::mesh), of.texts(Lane::workflow), of.texts(Lane::key)};
        tx.update(MAKE, keys);
        return tx.query(LOCK, LaneStore::open, keys);
    }

    /** A queue of one of the locked lanes. */
    record Place(int lane, String mesh, String queue, boolean here) {}

    /** Leases from locked lanes within their limits. The n-th rule belongs to the n-th lane. */
    List<Leased> lease(
            Tx tx, List<Lane> lanes, List<Rule> rules, List<Place> places, int limit, Duration lease, String owner)
            throws SQLException {
        Columns<Place> of = new Columns<>(places);
        Columns<Lane> lane = new Columns<>(lanes);
        Columns<Rule> rule = new Columns<>(rules);
        int[] numbers = new int[lanes.size()];
        Arrays.setAll(numbers, i -> i);
        long askedAt = System.nanoTime();
        return tx.query(
                LEASE,
                row -> new Leased(PostingStore.leasedBody(row, askedAt), row.getInt("lane"), row.getString("queue")),
                of.ints(Place::lane),
                of.texts(Place::mesh),
                of.texts(Place::queue),
                of.flags(place -> Lane.isBegun(place.queue())),
                of.flags(Place::here),
                numbers,
                lane.texts(Lane::mesh),
                lane.texts(Lane::workflow),
                lane.texts(Lane::key),
                rule.ints(Rule::concurrency),
                rule.ints(Rule::starts),
                rule.longs(each -> each.per().toMillis()),
                limit,
                limit,
                lease.toMillis(),
                owner);
    }

    /** Records what was leased, with one note per lane. */
    void note(Tx tx, List<Note> notes, List<Leased> leased) throws SQLException {
        Columns<Note> of = new Columns<>(notes);
        Columns<Leased> used = new Columns<>(leased);
        tx.update(
                NOTE,
                used.ints(Leased::lane),
                used.texts(Leased::queue),
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
