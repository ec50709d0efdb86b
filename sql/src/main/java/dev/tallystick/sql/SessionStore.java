package dev.tallystick.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.postgresql.PGConnection;

/**
 * The settings that a transaction makes before its first statement, for itself only: nothing stays behind in a pool or a
 * pooler. A session that handles batches makes them once, if it is ours alone, and restores what it found.
 */
final class SessionStore {

    // A separate statement: it must come before the first snapshot, which a select takes.
    private static final String ISOLATION = "set transaction isolation level read committed;\n";
    private static final String READ_ONLY = "set transaction isolation level read committed, read only;\n";

    private static final String SNAPSHOT = "set transaction isolation level repeatable read, read only;\n";

    private static final String WATCHES_CLIENTS = "select version() like '%linux%' as watches";

    // A transaction raises its own synchronous_commit, so the session's default is asked for.
    private static final String UNDURABLE = """
            select name
            from pg_settings
            where name in ('fsync', 'full_page_writes', 'synchronous_commit')
                and reset_val = 'off'
            order by name
            """;

    private static final String COMMIT = "synchronous_commit";

    /** A commit waits for the disk whatever the session was set to before; a stronger setting is kept. */
    private static final String DURABLE =
            "case when current_setting('synchronous_commit') in ('off', 'local') then 'on'"
                    + " else current_setting('synchronous_commit') end";

    private static final String VALUES = """
            select name, current_setting(name) as value
            from unnest(?::text[]) as s (name)
            """;

    private static final String KEEP = """
            select set_config(name, value, false)
            from unnest(?::text[], ?::text[]) as s (name, value)
            """;

    private static final String KEEP_DURABLE = "select set_config('synchronous_commit', " + DURABLE + ", false)";

    private static final String BACKEND = "select pg_backend_pid() as pid";

    private static final String STILL_THERE = "select 1";

    /** Milliseconds until a server notices, during a statement or its answer, that its client is gone. */
    private static final String GONE_MILLIS = "5000";

    /**
     * Our own writes look up rows by key, so one plan is good: nested loops over the indexes. See {@link BatchSession}. A plan
     * for each call would take longer than the statement itself.
     */
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

    /** As {@link #opening}, for a transaction in which the server refuses to write. */
    String openingOfRead(SessionLimits limits) {
        return READ_ONLY + select(settings(limits));
    }

    /** As {@link #openingOfRead}, for a transaction whose statements all see the same snapshot. */
    String openingOfSnapshot(SessionLimits limits) {
        return SNAPSHOT + select(settings(limits));
    }

    /** As {@link #opening}, for the transaction of a batch. */
    String openingOfBatch(SessionLimits limits, Duration lockWait) {
        return ISOLATION + select(settingsOfBatch(limits, lockWait));
    }

    /** Lets the transaction wait this long for a lock. */
    static String lockWait(Duration lockWait) {
        return "select " + local("lock_timeout", "'" + millis(lockWait) + "'") + ";\n";
    }

    /** Makes the settings of batches for the whole session, and returns the values before, for {@link #keep}. */
    Map<String, String> keepForBatches(Tx tx, SessionLimits limits, Duration lockWait) throws SQLException {
        Map<String, String> settings = settingsOfBatch(limits, lockWait);
        settings.put("default_transaction_isolation", "read committed");
        List<String> names = new ArrayList<>(settings.keySet());
        names.add(COMMIT);
        Map<String, String> before = values(tx, names);
        keep(tx, settings);
        tx.query(KEEP_DURABLE, row -> true);
        return before;
    }

    /** Changes the limits in the middle of a transaction, after which only our own statements follow. */
    String change(SessionLimits limits) {
        Map<String, String> settings = settings(limits);
        settings.putAll(PLANNING);
        return select(settings);
    }

    private static Map<String, String> values(Tx tx, Collection<String> names) throws SQLException {
        Map<String, String> values = new LinkedHashMap<>();
        tx.query(VALUES, row -> values.put(row.getString("name"), row.getString("value")), (Object)
                names.toArray(String[]::new));
        return values;
    }

    /** Makes settings for the whole session. */
    static void keep(Tx tx, Map<String, String> settings) throws SQLException {
        tx.query(
                KEEP,
                row -> true,
                settings.keySet().toArray(String[]::new),
                settings.values().toArray(String[]::new));
    }

    private Map<String, String> settingsOfBatch(SessionLimits limits, Duration lockWait) {
        Map<String, String> settings = settings(limits);
        settings.put("lock_timeout", millis(lockWait));
        settings.putAll(PLANNING);
        return settings;
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
                .map(setting -> local(setting.getKey(), "'" + setting.getValue() + "'"))
                .collect(Collectors.joining(", ", "select " + local(COMMIT, DURABLE) + ", ", ";\n"));
    }

    private static String local(String name, String value) {
        return "set_config('" + name + "', " + value + ", true)";
    }
}
