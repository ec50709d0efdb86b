package dev.tallystick.engine.record;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** When the next posting of some queues falls due. */
public final class NextDueStore {

    private static final String NEXT = PostingStore.LANES + """
            select ceil(extract(epoch from min(d.visible_at) - now()) * 1000)::bigint as millis
            from lane l
            cross join (values (0), (1), (2)) as u (priority)
            cross join lateral (
                select p.visible_at
                from tally.posting p
                where p.queue = l.queue
                    and p.mesh = l.mesh
                    and p.priority = u.priority
                    and p.visible_at > now()
                    and p.visible_at < 'infinity'
                order by p.visible_at
                limit 1
            ) d
            where l.mesh is not null
            having min(d.visible_at) is not null
            """;

    /** Counted from now by the database's clock; empty if no posting is going to be due. */
    public Optional<Duration> next(Tx tx, String... queues) throws SQLException {
        return tx.first(NEXT, row -> Duration.ofMillis(row.getLong("millis")), (Object) queues);
    }
}
