package dev.tallystick.broker;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.keys.Scope;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.Loop;
import dev.tallystick.sql.Primitive;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Counts in Postgres, for all brokers on one database, by its clock. Requests that come at the same moment are counted
 * together. Thread-safe.
 */
public final class PostgresLimiter implements Limiter {

    private static final Duration STOPPING = Duration.ofSeconds(10);

    private final GroupCommitter committer;
    private final Counting counting;
    private final Loop sweeping;

    public PostgresLimiter(Database database, Budget budget) {
        this.committer = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT);
        this.counting = new Counting(budget);
        RateStore store = new RateStore();
        this.sweeping = new Loop("rate-limits", budget.window(), () -> {
            int unused = database.transact(
                    "forget old windows",
                    tx -> store.sweepGrants(tx, budget.window()) + store.sweepWindows(tx, budget.window()));
        });
        sweeping.start();
    }

    @Override
    public Decision consume(ScopedKey key, Fingerprint fingerprint, int bytes) {
        return Futures.join(committer.submit(counting, new Asked(new RateStore.Request(key, fingerprint), bytes)));
    }

    @Override
    public void close() {
        sweeping.end();
        sweeping.awaitEnd(STOPPING);
        committer.close();
    }

    /** A request, and how many bytes its body has. */
    private record Asked(RateStore.Request request, int bytes) {}

    /** Applied again after a lost reply it costs a free repeat, and nothing of the budget. */
    private static final class Counting implements Primitive<Asked, Decision> {

        private final Budget budget;
        private final RateStore store = new RateStore();

        Counting(Budget budget) {
            this.budget = budget;
        }

        @Override
        public String name() {
            return "count requests";
        }

        @Override
        public int rank() {
            return 0;
        }

        @Override
        public Object orderKey(Asked asked) {
            return asked.request.key();
        }

        @Override
        public List<@Nullable Decision> apply(Tx tx, List<Asked> all) throws SQLException {
            List<RateStore.Request> requests = all.stream().map(Asked::request).toList();
            Set<Scope> scopes = new HashSet<>();
            for (RateStore.Request request : requests) {
                scopes.add(request.scope());
                scopes.add(RateStore.allOf(request.scope()));
            }
            // Whoever holds the windows of its members is alone with what was granted to them.
            Map<Scope, RateStore.Window> windows = store.lockWindows(tx, scopes, budget.window());
            Map<RateStore.Request, RateStore.Grant> known = store.grants(tx, requests);
            Map<Scope, Integer> used = new HashMap<>();
            List<RateStore.Grant> granted = new ArrayList<>();
            List<@Nullable Decision> decisions = new ArrayList<>(requests.size());
            for (Asked asked : all) {
                Scope scope = asked.request.scope();
                Scope mesh = RateStore.allOf(scope);
                RateStore.Window window = Objects.requireNonNull(windows.get(scope), "every member has a window");
                RateStore.Window ofMesh = Objects.requireNonNull(windows.get(mesh), "and so has every mesh");
                OptionalInt repeats = repeats(known.get(asked.request), window.start());
                boolean free = repeats.isPresent() && repeats.getAsInt() < FREE_REPEATS;
                int cost = free ? 0 : budget.cost(asked.bytes);
                int usedNow = used.getOrDefault(scope, window.used()) + cost;
                int usedByMesh = used.getOrDefault(mesh, ofMesh.used()) + cost;
                if (!free && (usedNow > budget.requests() || usedByMesh > budget.requestsOfMesh())) {
                    decisions.add(new Decision.Over(window.left()));
                } else {
                    used.put(scope, usedNow);
                    used.put(mesh, usedByMesh);
                    granted.add(new RateStore.Grant(
                            asked.request, window.start(), free ? repeats.getAsInt() + 1 : repeats.orElse(0)));
                    decisions.add(new Decision.Within());
                }
            }
            if (!granted.isEmpty()) {
                store.grant(tx, granted, used);
            }
            return decisions;
        }

        /** How often it was granted for nothing in this window; empty if it was not granted at all. */
        private static OptionalInt repeats(RateStore.@Nullable Grant known, long window) {
            return known == null || known.window() != window ? OptionalInt.empty() : OptionalInt.of(known.repeats());
        }
    }
}
