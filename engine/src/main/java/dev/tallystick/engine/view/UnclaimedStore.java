package dev.tallystick.engine.view;

import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** Reads due postings without a lease, by workflow and version. Writes nothing and locks nothing. */
public final class UnclaimedStore {

    // Hops along the index from queue to queue and from mesh to mesh, and counts only as many of each as matter.
    private static final String DUE = """
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
            select substring(l.queue from '^(?:\\$graph:)?(.*)@') as workflow, substring(l.queue from '@([0-9]+)$')::int as version,
                count(*) as jobs, min(d.visible_at) as since
            from lane l
            cross join (values (0), (1), (2)) as u (priority)
            cross join lateral (
                select p.visible_at
                from tally.posting p
                where p.queue = l.queue
                    and p.mesh = l.mesh
                    and p.priority = u.priority
                    and p.visible_at <= now() - ? * interval '1 millisecond'
                order by p.visible_at
                limit 1000
            ) d
            where l.queue ~ '@[0-9]+$'
            group by workflow, version
            order by workflow, version
            """;

    /** The jobs that have been due for longer than {@code duration}. */
    public List<Unclaimed> due(Tx tx, Duration duration) throws SQLException {
        return tx.query(DUE, UnclaimedStore::unclaimed, duration.toMillis());
    }

    private static Unclaimed unclaimed(ResultSet row) throws SQLException {
        return new Unclaimed(
                row.getString("workflow"),
                row.getInt("version"),
                row.getLong("jobs"),
                Objects.requireNonNull(Tx.instant(row, "since")));
    }
}
