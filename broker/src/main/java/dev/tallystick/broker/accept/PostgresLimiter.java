package dev.tallystick.broker.accept;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.Futures;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.Loop;
import dev.tallystick.sql.Primitive;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Counts in Postgres, by its clock, for all brokers on one database. Concurrent requests are counted in one batch.
 * Thread-safe.
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
        return Futures.await(submit(new Charge(key, fingerprint, bytes)));
    }

    @Override
    public List<Decision> consumeAll(List<Charge> charges) {
        List<CompletableFuture<Decision>> decisions =
                charges.stream().map(this::submit).toList();
        return decisions.stream().map(Futures::await).toList();
    }

    private CompletableFuture<Decision> submit(Charge charge) {
        int cost = counting.budget.cost(charge.bytes());
        return committer.submit(counting, new RateStore.Request(charge.key(), charge.fingerprint(), cost));
    }

    @Override
    public void close() {
        sweeping.end();
        sweeping.awaitEnd(STOPPING);
        committer.close();
    }

    /** Repeating it after a lost reply uses a free repeat and no budget. */
    private static final class Counting implements Primitive<RateStore.Request, Decision> {

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
        public Object orderKey(RateStore.Request request) {
            return request.key();
        }

        @Override
        public List<@Nullable Decision> apply(Tx tx, List<RateStore.Request> requests) throws SQLException {
            return store.count(tx, requests, budget);
        }
    }
}
