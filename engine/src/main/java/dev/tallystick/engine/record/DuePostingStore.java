package dev.tallystick.engine.record;

import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LeasedJob;
import dev.tallystick.engine.model.Queues;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** The postings that are due, fairly between meshes. One method is one statement. */
public final class DuePostingStore {

    /** Ends a statement whose {@code leased} part has leased bodies: reads everything needed to run them. */
    static final String BODIES = """
            select l.*, j.mesh, j.workflow, j.version, j.input, coalesce(j.keys_of, j.id) as keys_of,
                j.parent_job is not null as is_child, j.deadline is not null as is_timed, j.closed_by is not null as is_closed
            from leased l
            join tally.job j on j.id = l.job_id
            """;

    // Meshes take turns, whatever their backlogs: the recursion hops from mesh to mesh along the index, so its cost
    // grows with the number of meshes, not of postings. Within a mesh, order by priority, then by age.
    public static final String LANES = """
            with recursive lane as (
                select q.queue,
                    (select p.mesh from tally.posting p where p.queue = q.queue order by p.mesh limit 1) as mesh
                from unnest(?::text[]) as q (queue)
                union all
                select l.queue,
                    (select p.mesh from tally.posting p where p.queue = l.queue and p.mesh > l.mesh order by p.mesh limit 1)
                from lane l
                where l.mesh is not null
            )
            """;

    // Hops along the index from queue to queue and from mesh to mesh, so the cost grows with the number of lanes that
    // have postings, not with the number of postings.
    public static final String ALL_LANES = """
            with recursive lane as (
                (select queue, mesh from tally.posting order by queue, mesh limit 1)
                union all
                select n.queue, n.mesh
                from lane l
                cross join lateral (
                    select p.queue, p.mesh
                    from tally.posting p
                    where (p.queue, p.mesh) > (l.queue, l.mesh)
                    order by p.queue, p.mesh
                    limit 1
                ) n
            )
            """;

    private static final String OF_LANES = """
            from lane l
            cross join (values (0), (1), (2)) as u (priority)
            cross join lateral (
                select {columns}
                from tally.posting p
                where p.queue = l.queue
                    and p.mesh = l.mesh
                    and p.priority = u.priority
                    and p.visible_at {due}
                order by p.visible_at
                limit {limit}
            ) d
            """;

    private static final String LEASE_BODIES = LANES + """
            , candidate as (
                select d.job_id, d.guid, d.was_lost,
                    row_number() over (partition by l.mesh order by u.priority, d.visible_at) as turn
            """
            + ofLanes(
                    "p.job_id, p.guid, p.visible_at, p.owner is not null as was_lost",
                    "<= now()",
                    "? for update skip locked")
            + """
                where l.mesh is not null
            ),
            due as materialized (
                select job_id, guid, was_lost
                from candidate
                order by turn
                limit ?
            ),
            leased as (
                update tally.posting p
                set visible_at = now() + ? * interval '1 millisecond', fence = p.fence + 1, owner = ?, attempts = p.attempts + 1
                from due d
                where p.job_id = d.job_id and p.guid = d.guid
                returning p.job_id, p.guid, p.fence, p.path, p.name, d.was_lost
            )
            """ + BODIES;

    private static final String DUE_FOR_ENGINE =
            LANES + """
            select d.job_id, d.guid, d.path, d.name, d.fence
            """ + ofLanes("p.job_id, p.guid, p.path, p.name, p.fence, p.visible_at", "<= now()", "?") + """
            where l.mesh is not null
            order by row_number() over (partition by l.mesh order by u.priority, d.visible_at)
            limit ?
            """;

    private static final String NEXT =
            LANES + """
            select ceil(extract(epoch from min(d.visible_at) - now()) * 1000)::bigint as millis
            """ + ofLanes("p.visible_at", "> now() and p.visible_at < 'infinity'", "1") + """
            where l.mesh is not null
            having min(d.visible_at) is not null
            """;

    /** Joins each lane's postings as {@code d}: of each priority the oldest that are due, as many as {@code limit} says. */
    public static String ofLanes(String columns, String due, String limit) {
        return OF_LANES.replace("{columns}", columns).replace("{due}", due).replace("{limit}", limit);
    }

    /** Leases at most {@code limit} due bodies, fairly between meshes. */
    public List<LeasedJob> leaseBodies(Tx tx, Set<String> queues, int limit, Duration lease, String owner)
            throws SQLException {
        long askedAt = System.nanoTime();
        return tx.query(
                LEASE_BODIES,
                row -> leasedBody(row, askedAt),
                queues.toArray(String[]::new),
                limit,
                limit,
                lease.toMillis(),
                owner);
    }

    /** The engine's own due postings; other processes may be handling them too. */
    public List<Lease> dueForEngine(Tx tx, int limit) throws SQLException {
        return tx.query(DUE_FOR_ENGINE, PostingStore::lease, new String[] {Queues.ENGINE}, limit, limit);
    }

    /** When the next posting of some queues falls due, from now by the database's clock; empty if none is going to be due. */
    public Optional<Duration> next(Tx tx, String... queues) throws SQLException {
        return tx.first(NEXT, row -> Duration.ofMillis(row.getLong("millis")), (Object) queues);
    }

    static LeasedJob leasedBody(ResultSet row, long leasedAt) throws SQLException {
        return new LeasedJob(
                PostingStore.lease(row),
                row.getString("mesh"),
                row.getString("workflow"),
                row.getInt("version"),
                row.getBytes("input"),
                new JobId(row.getObject("keys_of", UUID.class)),
                row.getBoolean("is_child"),
                row.getBoolean("is_timed"),
                row.getBoolean("was_lost"),
                row.getBoolean("is_closed"),
                leasedAt,
                null);
    }
}
