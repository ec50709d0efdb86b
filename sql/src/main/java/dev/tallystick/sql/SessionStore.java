package dev.tallystick.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.postgresql.PGConnection;

/**
 * The settings that a transaction makes before its first statement, for itself only: nothing stays behind in a pool or a
 * pooler.
 */
final class SessionStore {

    // A separate statement: it must come before the first snapshot, which a select takes.
    private static final String ISOLATION = "set transaction isolation level read committed;\n";

    private static final String WATCHES_CLIENTS = "select version() like '%linux%' as watches";

    // A transaction raises its own synchronous_commit, so the session's default is asked for.
    private static final String UNDURABLE = """
            select name
            from pg_settings
            where name in ('fsync', 'full_page_writes', 'synchronous_commit')
                and reset_val = 'off'
            order by name
            """;

    /** A commit waits for the disk whatever the session was set to before; a stronger setting is kept. */
    private static final String DURABLE = "set_config('synchronous_commit',"
            + " case when current_setting('synchronous_commit') in ('off', 'local') then 'on'"
            + " else current_setting('synchronous_commit') end, true), ";

    private static final String BACKEND = "select pg_backend_pid() as pid";

    private static final String STILL_THERE = "select 1";

    /** Milliseconds until a server notices, during a statement or its answer, that its client is gone. */
    private static final String GONE_MILLIS = "5000";

    /** Batches look up rows by key, so one plan is good: nested loops over the indexes. See {@link BatchSession}. */
    private static final Map<String, String> PLANNING = Map.of(
            "plan_cache_mode", "force_generic_plan",
            "enable_seqscan", "off",
            "enable_hashjoin", "off",
            "enable_mergejoin", "off",
            "jit", "off");

    private final boolean watchesClients;

    /**
     * @param watchesClients whether the server's operating system can report that a client is gone; others reject the setting
     */
    SessionStore(boolean watchesClients) {
        this.watchesClients = watchesClients;
    }

    static boolean watchesClients(Tx tx) throws SQLException {
        return tx.first(WATCHES_CLIENTS, row -> row.getBoolean("watches")).orElseThrow();
    }

    /** The settings that allow the server to lose committed data. */
    static List<String> undurable(Tx tx) throws SQLException {
        return tx.query(UNDURABLE, row -> row.getString("name"));
    }

    /**
     * Whether the server's session is the one that the connection was opened to. A pooler that reassigns sessions between
     * transactions cannot report the right one when it accepts a connection.
     */
    static boolean isOurs(Tx tx, Connection connection) throws SQLException {
        int opened = connection.unwrap(PGConnection.class).getBackendPID();
        return tx.first(BACKEND, row -> row.getInt("pid")).orElseThrow() == opened;
    }

    /** Throws unless the server responds. */
    static void demandAnswer(Tx tx) throws SQLException {
        tx.query(STILL_THERE, row -> true);
    }

    /** The settings before the first statement of a transaction, in the same round trip. */
    String opening(SessionLimits limits) {
        return ISOLATION + select(settings(limits));
    }

    /** As {@link #opening}, for the transaction of a batch. */
    String openingOfBatch(SessionLimits limits, long lockWaitMillis) {
        Map<String, String> settings = settings(limits);
        settings.put("lock_timeout", Long.toString(lockWaitMillis));
        settings.putAll(PLANNING);
        return ISOLATION + select(settings);
    }

    /** Changes the limits in the middle of a transaction. */
    String change(SessionLimits limits) {
        return select(settings(limits));
    }

    private Map<String, String> settings(SessionLimits limits) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("statement_timeout", millis(limits.statement()));
        settings.put("idle_in_transaction_session_timeout", millis(limits.idle()));
        if (watchesClients) {
            settings.put("client_connection_check_interval", GONE_MILLIS);
            settings.put("tcp_user_timeout", GONE_MILLIS);
        }
        return settings;
    }

    private static String millis(Duration duration) {
        return Long.toString(duration.toMillis());
    }

    private static String select(Map<String, String> settings) {
        return settings.entrySet().stream()
                .map(setting -> "set_config('" + setting.getKey() + "', '" + setting.getValue() + "', true)")
                .collect(Collectors.joining(", ", "select " + DURABLE, ";\n"));
    }
}
