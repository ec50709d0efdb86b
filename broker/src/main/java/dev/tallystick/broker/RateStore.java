package dev.tallystick.broker;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.keys.Scope;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tables of budgets. One method is one statement; the caller owns the transaction. */
final class RateStore {

    /** Another limiter may have longer windows than the one that sweeps; so long they are left alone. */
    static final Duration LEFT_ALONE = Duration.ofDays(7);

    /** What is counted: the same under the same key is a repeat. */
    record Request(ScopedKey key, Fingerprint fingerprint) {

        Scope scope() {
            return key.scope();
        }
    }

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
                window_start = greatest(w.window_start, excluded.window_start);
            """;

    // Whoever holds the windows of its members is alone with what was granted to them. What costs something is granted
    // in
    // the order in which it came, as long as the budget lasts.
    private static final String COUNT = """
            with asked as (
                select i.*, w.window_start, w.used,
                    case when g.window_start = w.window_start then g.repeats end as repeats
                from unnest(?::text[], ?::text[], ?::text[], ?::bytea[])
                    with ordinality as i (key, mesh, member, fingerprint, place)
                join tally.rate_window w on w.mesh = i.mesh and w.member = i.member
                left join tally.rate_grant g
                    on g.key = i.key and g.mesh = i.mesh and g.member = i.member and g.fingerprint = i.fingerprint
            ),
            priced as (
                select *, coalesce(repeats < ?, false) as free
                from asked
            ),
            judged as (
                select *,
                    free or used + count(*) filter (where not free) over (
                        partition by mesh, member order by place) <= ? as within
                from priced
            ),
            granted as (
                insert into tally.rate_grant (key, mesh, member, window_start, fingerprint, repeats)
                select key, mesh, member, window_start, fingerprint, coalesce(repeats, 0) + free::int
                from judged
                where within
                on conflict (key, mesh, member, fingerprint) do update
                set window_start = excluded.window_start, repeats = excluded.repeats
            ),
            charged as (
                update tally.rate_window w
                set used = w.used + c.costs
                from (
                    select mesh, member, count(*) as costs
                    from judged
                    where within and not free
                    group by mesh, member
                ) c
                where w.mesh = c.mesh and w.member = c.member
            )
            select place, within,
                (window_start / ? + 1) * ? - (extract(epoch from clock_timestamp()) * 1000)::bigint as left_millis
            from judged
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

    /**
     * Counts requests, each under another key. The windows of their members are locked for as long as the statements take, and not
     * while anything travels: all other brokers wait for them.
     *
     * @return the decisions, in the same order, once they are durable
     */
    List<Limiter.@Nullable Decision> count(Tx tx, List<Request> requests, Limiter.Budget budget) throws SQLException {
        Columns<Scope> scopes =
                new Columns<>(requests.stream().map(Request::scope).distinct().toList());
        Columns<Request> of = new Columns<>(requests);
        long millis = budget.window().toMillis();
        List<Limiter.@Nullable Decision> decisions = new ArrayList<Limiter.@Nullable Decision>(
                Collections.<Limiter.@Nullable Decision>nCopies(requests.size(), null));
        tx.queryLater(
                LOCK_WINDOWS + COUNT,
                row -> decisions.set(row.getInt("place") - 1, decision(row)),
                millis,
                millis,
                scopes.texts(Scope::mesh),
                scopes.texts(Scope::member),
                of.texts(request -> request.key().key().value()),
                of.texts(request -> request.scope().mesh()),
                of.texts(request -> request.scope().member()),
                of.bytes(request -> request.fingerprint().bytes()),
                Limiter.FREE_REPEATS,
                budget.requests(),
                millis,
                millis);
        return decisions;
    }

    private static Limiter.Decision decision(ResultSet row) throws SQLException {
        return row.getBoolean("within")
                ? new Limiter.Decision.Within()
                : new Limiter.Decision.Over(Duration.ofMillis(Math.max(1, row.getLong("left_millis"))));
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
