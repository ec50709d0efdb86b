package dev.tallystick.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/**
 * The settings under which batches run. Primitives look rows up by their keys, a few hundred at a time, so there is one good
 * plan for each statement: nested loops over the indexes. Postgres is held to it, and makes it once. Left to itself it plans long
 * statements anew for every batch, or keeps a plan that it made while the tables were empty and scans them ever after.
 */
final class BatchSession {

    private static final List<String> PLANNING = List.of(
            "plan_cache_mode = force_generic_plan",
            "enable_seqscan = off",
            "enable_hashjoin = off",
            "enable_mergejoin = off",
            "jit = off");

    /** Begins a session in which nothing waits longer than {@code lockWait} for a stranger's lock. */
    static void begin(Connection connection, Duration lockWait) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("set lock_timeout = " + lockWait.toMillis());
            for (String setting : PLANNING) {
                statement.execute("set " + setting);
            }
        }
    }

    /** The next holder of a pooled connection must not inherit the settings. */
    static void end(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("reset lock_timeout");
            for (String setting : PLANNING) {
                statement.execute("reset " + setting.substring(0, setting.indexOf(' ')));
            }
        }
    }

    private BatchSession() {}
}
