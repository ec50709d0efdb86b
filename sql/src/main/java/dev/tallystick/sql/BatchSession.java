package dev.tallystick.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/**
 * A connection under the settings with which batches run. Primitives look rows up by their keys, a few hundred at a time, so
 * there is one good plan for each statement: nested loops over the indexes. Postgres is held to it, and keeps it. Left to itself
 * it plans long statements anew for every batch.
 *
 * <p>A plan that was made while a table was empty may walk the whole of it, for that was the least effort then. So plans are
 * forgotten while the tables grow: whenever twice as much was handled as when they were made, and from time to time.
 */
final class BatchSession {

    private static final List<String> PLANNING = List.of(
            "plan_cache_mode = force_generic_plan",
            "enable_seqscan = off",
            "enable_hashjoin = off",
            "enable_mergejoin = off",
            "jit = off");

    private static final long PLANS_KEPT_NANOS = Duration.ofSeconds(30).toNanos();

    private final Connection connection;
    private final int silenceBefore;
    private long handled;
    private long handledWhenPlanned;
    private long plannedAtNanos = System.nanoTime();

    private BatchSession(Connection connection, int silenceBefore) {
        this.connection = connection;
        this.silenceBefore = silenceBefore;
    }

    /** Begins a session in which nothing waits longer than it may for a stranger's lock, and for the database itself. */
    static BatchSession begin(Connection connection, GroupCommitter.Limits limits) throws SQLException {
        int silenceBefore = connection.getNetworkTimeout();
        connection.setNetworkTimeout(Runnable::run, (int) limits.silence().toMillis());
        try (Statement statement = connection.createStatement()) {
            statement.execute("set lock_timeout = " + limits.lockWait().toMillis());
            for (String setting : PLANNING) {
                statement.execute("set " + setting);
            }
        }
        return new BatchSession(connection, silenceBefore);
    }

    Connection connection() {
        return connection;
    }

    /** To be called in the transaction of a batch, before its statements. */
    void expect(Tx tx, int items) throws SQLException {
        handled += items;
        long now = System.nanoTime();
        if (handled >= 2 * handledWhenPlanned || now - plannedAtNanos > PLANS_KEPT_NANOS) {
            tx.update("discard plans");
            handledWhenPlanned = handled;
            plannedAtNanos = now;
        }
    }

    /** The next holder of a pooled connection must not inherit the settings. */
    void end() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("reset lock_timeout");
            for (String setting : PLANNING) {
                statement.execute("reset " + setting.substring(0, setting.indexOf(' ')));
            }
        }
        connection.setNetworkTimeout(Runnable::run, silenceBefore);
    }
}
