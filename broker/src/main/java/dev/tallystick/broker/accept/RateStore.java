package dev.tallystick.broker.accept;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.keys.Scope;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The tables of budgets. One method is one statement; the caller owns the transaction. */
final class RateStore {

    /** Another limiter may have longer windows than the one that sweeps; this long they are kept. */
    static final Duration LEFT_ALONE = Duration.ofDays(7);

    /** Represents all members of a mesh together; no member can have this name. */
    private static final String ALL = "*";

    /** A request and its cost: the same key and fingerprint again is a repeat. */
    record Request(ScopedKey key, Fingerprint fingerprint, int cost) {

        Scope scope() {
            return key.scope();
        }
    }

    // Locks the rows in one order. An expired window restarts; the clock is the database's, which all brokers share.
    // Windows are compared by their starts, which mean the same to limiters with windows of different lengths. A power
    // cut may lose the last counts: a budget is not a promise, so nothing waits for the disk.
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

    // The windows of the members are locked, so their grants do not change. Requests with a cost are granted in the
    // order of arrival, as long as the budgets of the member and of the mesh last; a request over its member's budget
    // takes nothing from the mesh.
    private static final String COUNT = """
            with asked as (
                select i.*, w.window_start, w.used, a.used as used_by_mesh,
                    case when g.window_start = w.window_start then g.repeats end as repeats
                from unnest(?::text[], ?::text[], ?::text[], ?::bytea[], ?::int[])
                    with ordinality as i (key, mesh, member, fingerprint, cost, place)
                join tally.rate_window w on w.mesh = i.mesh and w.member = i.member
                join tally.rate_window a on a.mesh = i.mesh and a.member = '*'
                left join tally.rate_grant g
                    on g.key = i.key and g.mesh = i.mesh and g.member = i.member and g.fingerprint = i.fingerprint
            ),
            priced as (
                select *, case when free then 0 else cost end as price
                from (select *, coalesce(repeats < ?, false) as free from asked) as known
            ),
            affordable as (
                select *, used + sum(price) over (partition by mesh, member order by place) <= ? as fits
                from priced
            ),
            judged as (
                select *,
                    free or (fits and used_by_mesh
                        + sum(price) filter (where fits) over (partition by mesh order by place) <= ?) as within
                from affordable
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
                    select mesh, coalesce(member, '*') as member, sum(price)::int as costs
                    from judged
                    where within and not free
                    group by grouping sets ((mesh, member), (mesh))
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

    // Skips rows that are being counted: those are locked in another order.
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
     * Counts requests, each under a different key. The members' windows are locked only while the statements run, and never
     * across a round trip: all other brokers wait for them.
     *
     * @return the decisions, in the same order, once they are committed
     */
    List<Limiter.@Nullable Decision> count(Tx tx, List<Request> requests, Limiter.Budget budget) throws SQLException {
        Columns<Scope> scopes = new Columns<>(requests.stream()
                .map(Request::scope)
                .flatMap(member -> Stream.of(member, new Scope(member.mesh(), ALL)))
                .distinct()
                .toList());
        Columns<Request> of = new Columns<>(requests);
        long millis = budget.window().toMillis();
        List<Limiter.@Nullable Decision> decisions = new ArrayList<Limiter.@Nullable Decision>();
        requests.forEach(unanswered -> decisions.add(null));
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
                of.ints(Request::cost),
                Limiter.FREE_REPEATS,
                budget.requests(),
                budget.requestsOfMesh(),
                millis,
                millis);
        return decisions;
    }

    private static Limiter.Decision decision(ResultSet row) throws SQLException {
        return row.getBoolean("within")
                ? new Limiter.Decision.Within()
                : new Limiter.Decision.Over(Duration.ofMillis(Math.max(1, row.getLong("left_millis"))));
    }

    /** Deletes grants from before the last window, and returns how many. */
    int sweepGrants(Tx tx, Duration window) throws SQLException {
        return tx.update(SWEEP_GRANTS, window.toMillis(), window.toMillis());
    }

    /** Deletes the windows of members that have been idle for long, and returns how many. */
    int sweepWindows(Tx tx, Duration window) throws SQLException {
        return tx.update(SWEEP_WINDOWS, Math.max(2 * window.toMillis(), LEFT_ALONE.toMillis()));
    }
}
