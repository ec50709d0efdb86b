package dev.tallystick.engine.view;

import dev.tallystick.engine.record.DuePostingStore;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** Reads due postings without a lease, by workflow and version. Writes nothing and locks nothing. */
public final class UnclaimedStore {

    // Counts only as many of each lane as matter.
    private static final String DUE = DuePostingStore.ALL_LANES + """
            select substring(l.queue from '^(?:\\$graph:)?(.*)@') as workflow, substring(l.queue from '@([0-9]+)$')::int as version,
                count(*) as jobs, min(d.visible_at) as since
            """
            + DuePostingStore.ofLanes("p.visible_at", "<= now() - ? * interval '1 millisecond'", "1000") + """
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
