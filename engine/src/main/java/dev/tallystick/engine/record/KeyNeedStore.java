package dev.tallystick.engine.record;

import dev.tallystick.keys.KeyNeeds;
import dev.tallystick.keys.KeyRetention;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/**
 * Says how long the keys of jobs are needed: for their retention after the job, or the one that continues it, has ended, and
 * until the job is sealed.
 */
public final class KeyNeedStore implements KeyNeeds {

    private static final String NEEDED = """
            select i.id, max(coalesce(j.closed_at, now())) + ? * interval '1 second' as until
            from unnest(?::uuid[]) as i (id)
            cross join lateral (
                select closed_at from tally.job where id = i.id
                union all
                select closed_at from tally.job where first_job = i.id
                union all
                select closed_at from tally.dropped_job where job_id = i.id
                union all
                select null where exists (select from tally.seal_queue where oldest <= i.id)
            ) j
            group by i.id
            """;

    private final KeyRetention retention;

    public KeyNeedStore(KeyRetention retention) {
        this.retention = retention;
    }

    @Override
    public Map<UUID, Instant> neededUntil(Tx tx, Collection<UUID> originals) throws SQLException {
        Map<UUID, Instant> needed = HashMap.newHashMap(originals.size());
        tx.query(
                NEEDED,
                row -> needed.put(row.getObject("id", UUID.class), Objects.requireNonNull(Tx.instant(row, "until"))),
                retention.duration().toSeconds(),
                originals.toArray(UUID[]::new));
        return needed;
    }
}
