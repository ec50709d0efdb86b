package dev.tallystick.broker;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.keys.Scope;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The tables of budgets. One method is one statement; the caller owns the transaction. */
final class RateStore {

    /** Another limiter may have longer windows than the one that sweeps; so long they are left alone. */
    static final Duration LEFT_ALONE = Duration.ofDays(7);

    /** What a member has used in a window that began at {@code start}, and how long that window still is. */
    record Window(Scope scope, long start, int used, Duration left) {}

    /** What is counted: the same under the same key is a repeat. */
    record Request(ScopedKey key, Fingerprint fingerprint) {

        Scope scope() {
            return key.scope();
        }
    }

    /** The window of all members of a mesh together stands among theirs, under a name that no member can have. */
    static Scope allOf(Scope member) {
        return new Scope(member.mesh(), "*");
    }

    /** What was granted, and how often it was granted again for nothing. */
    record Grant(Request request, long window, int repeats) {}

    // Locks the rows in one order. A window that is over is begun anew; the clock is the database's, which all share.
    // Windows are compared by their starts, which mean the same to limiters whose windows are of different lengths.
    // A power cut may forget what was counted last: a budget is no promise, so nobody waits for the disk because of it.
    private static final String LOCK_WINDOWS = """
            with clock as (
                select (extract(epoch from clock_timestamp()) * 1000)::bigint as millis,
                    set_config('synchronous_commit', 'off', true)
            )
            insert into tally.rate_window as w (mesh, member, window_start, used)
            select mesh, member, c.millis / ? * ?, 0
            from unnest(?::text[], ?::text[]) as i (mesh, member), clock c
            order by mesh collate "C", member collate "C"
            on conflict (mesh, member) do update
            set used = case when w.window_start < excluded.window_start then 0 else w.used end,
                window_start = greatest(w.window_start, excluded.window_start)
            returning mesh, member, window_start, used,
                (window_start / ? + 1) * ? - (extract(epoch from clock_timestamp()) * 1000)::bigint as left_millis
            """;

    private static final String GRANTS = """
            select g.key, g.mesh, g.member, g.window_start, g.fingerprint, g.repeats
            from unnest(?::text[], ?::text[], ?::text[], ?::bytea[]) as i (key, mesh, member, fingerprint)
            join tally.rate_grant g
                on g.key = i.key and g.mesh = i.mesh and g.member = i.member and g.fingerprint = i.fingerprint
            """;

    private static final String GRANT = """
            with granted as (
                insert into tally.rate_grant (key, mesh, member, window_start, fingerprint, repeats)
                select key, mesh, member, window_start, fingerprint, repeats
                from unnest(?::text[], ?::text[], ?::text[], ?::bigint[], ?::bytea[], ?::int[])
                    as i (key, mesh, member, window_start, fingerprint, repeats)
                on conflict (key, mesh, member, fingerprint) do update
                set window_start = excluded.window_start, repeats = excluded.repeats
            )
            update tally.rate_window w
            set used = i.used
            from unnest(?::text[], ?::text[], ?::int[]) as i (mesh, member, used)
            where w.mesh = i.mesh and w.member = i.member
            """;

    private static final String SWEEP_GRANTS = """
            delete from tally.rate_grant
            where window_start < ((extract(epoch from clock_timestamp()) * 1000)::bigint / ? - 1) * ?
            """;

    // Past those who are being counted: they lock in an order of their own.
    private static final String SWEEP_WINDOWS = """
            with over as (
                select mesh, member
                from tally.rate_window
                where window_start < (extract(epoch from clock_timestamp()) * 1000)::bigint - ?
                for update skip locked
            )
            delete from tally.rate_window w
            using over
            where w.mesh = over.mesh and w.member = over.member
            """;

    Map<Scope, Window> lockWindows(Tx tx, Collection<Scope> scopes, Duration window) throws SQLException {
        Columns<Scope> of = new Columns<>(List.copyOf(scopes));
        Map<Scope, Window> windows = new HashMap<>();
        long millis = window.toMillis();
        tx.query(
                LOCK_WINDOWS,
                row -> {
                    Scope scope = new Scope(row.getString("mesh"), row.getString("member"));
                    return windows.put(
                            scope,
                            new Window(
                                    scope,
                                    row.getLong("window_start"),
                                    row.getInt("used"),
                                    Duration.ofMillis(Math.max(1, row.getLong("left_millis")))));
                },
                millis,
                millis,
                of.texts(Scope::mesh),
                of.texts(Scope::member),
                millis,
                millis);
        return windows;
    }

    Map<Request, Grant> grants(Tx tx, List<Request> requests) throws SQLException {
        Columns<Request> of = new Columns<>(requests);
        Map<Request, Grant> grants = new HashMap<>();
        tx.query(
                GRANTS,
                row -> {
                    ScopedKey key = new ScopedKey(
                            new Scope(row.getString("mesh"), row.getString("member")),
                            new IdempotencyKey(row.getString("key")));
                    Request request = new Request(key, Fingerprint.of(row.getBytes("fingerprint")));
                    return grants.put(request, new Grant(request, row.getLong("window_start"), row.getInt("repeats")));
                },
                of.texts(request -> request.key().key().value()),
                of.texts(request -> request.scope().mesh()),
                of.texts(request -> request.scope().member()),
                of.bytes(request -> request.fingerprint().bytes()));
        return grants;
    }

    /** Writes what was granted, and how much of their windows is used now by those who were granted something. */
    void grant(Tx tx, List<Grant> grants, Map<Scope, Integer> used) throws SQLException {
        Columns<Grant> of = new Columns<>(grants);
        Columns<Map.Entry<Scope, Integer>> windows = new Columns<>(List.copyOf(used.entrySet()));
        tx.update(
                GRANT,
                of.texts(grant -> grant.request().key().key().value()),
                of.texts(grant -> grant.request().scope().mesh()),
                of.texts(grant -> grant.request().scope().member()),
                of.longs(Grant::window),
                of.bytes(grant -> grant.request().fingerprint().bytes()),
                of.ints(Grant::repeats),
                windows.texts(entry -> entry.getKey().mesh()),
                windows.texts(entry -> entry.getKey().member()),
                windows.ints(Map.Entry::getValue));
    }

    /** Forgets what was granted before the last window, and returns how much that was. */
    int sweepGrants(Tx tx, Duration window) throws SQLException {
        return tx.update(SWEEP_GRANTS, window.toMillis(), window.toMillis());
    }

    /** Forgets the windows of those who have not asked for anything for long, and returns how many these were. */
    int sweepWindows(Tx tx, Duration window) throws SQLException {
        return tx.update(SWEEP_WINDOWS, Math.max(2 * window.toMillis(), LEFT_ALONE.toMillis()));
    }
}
