package dev.tallystick.keys;

import static dev.tallystick.keys.TestKeys.ORDER;
import static dev.tallystick.keys.TestKeys.accepting;
import static dev.tallystick.keys.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Gate;
import dev.tallystick.testkit.Patience;
import dev.tallystick.testkit.TestPostgres;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ConcurrencyTest {

    @RegisterExtension
    static final TestPostgres postgres = Effects.postgres();

    private static final int RIVALS = 16;

    private final Database database = Effects.emptied(postgres);
    private final AcceptKeys door = new AcceptKeys(TestKeys.RETENTION);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void of_many_equal_claims_at_once_one_is_fresh_and_the_others_get_its_entry() throws Exception {
        List<Accept> outcomes = atOnce(
                RIVALS,
                () -> database.transact(
                        "accept",
                        tx -> door.accept(tx, List.of(accepting("k", ORDER))).getFirst()));

        List<KeyEntry> fresh = outcomes.stream()
                .flatMap(outcome -> outcome instanceof Accept.Fresh won ? Stream.of(won.entry()) : Stream.of())
                .toList();
        assertThat(fresh).hasSize(1);
        assertThat(outcomes.stream().filter(new Accept.Replayed(fresh.getFirst())::equals))
                .hasSize(RIVALS - 1);
    }

    @Test
    void a_claim_that_loses_to_an_open_transaction_waits_and_reads_the_winner() throws Exception {
        Gate gate = new Gate("the winner, before its commit");
        Future<Accept> winner = threads.submit(() -> database.transact("win", tx -> {
            Accept outcome = door.accept(tx, List.of(accepting("k", ORDER))).getFirst();
            gate.pass();
            return outcome;
        }));
        gate.awaitArrival();
        Future<Accept> loser = threads.submit(() -> database.transact(
                "lose", tx -> door.accept(tx, List.of(accepting("k", ORDER))).getFirst()));
        awaitBlockedSession();
        gate.open();

        KeyEntry won = ((Accept.Fresh) winner.get()).entry();
        assertThat(loser.get()).isEqualTo(new Accept.Replayed(won));
    }

    @Test
    void a_claim_that_waited_for_a_transaction_that_is_rolled_back_is_fresh() throws Exception {
        Gate gate = new Gate("the one that fails, before its rollback");
        Future<Accept> failing = threads.submit(() -> database.transact("fail", tx -> {
            door.accept(tx, List.of(accepting("k", ORDER)));
            gate.pass();
            throw new IllegalStateException("rejected");
        }));
        gate.awaitArrival();
        Future<Accept> waiting = threads.submit(() -> database.transact(
                "wait", tx -> door.accept(tx, List.of(accepting("k", ORDER))).getFirst()));
        awaitBlockedSession();
        gate.open();

        assertThat(waiting.get()).isInstanceOf(Accept.Fresh.class);
        assertThat(failing).failsWithin(Patience.limit());
    }

    /** The opposite orders are deliberate; without sorting, the two transactions would deadlock. */
    @Test
    void batches_with_crossed_orders_do_not_deadlock() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        for (int round = 0; round < 30; round++) {
            List<AcceptClaim> claims = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                claims.add(accepting("round-%d:%02d".formatted(round, i), ORDER));
            }
            List<AcceptClaim> reversed = new ArrayList<>(claims);
            Collections.reverse(reversed);
            AtomicInteger turn = new AtomicInteger();

            List<List<Accept>> outcomes = atOnce(2, () -> {
                List<AcceptClaim> mine = turn.getAndIncrement() == 0 ? claims : reversed;
                return database.transact("accept", tx -> {
                    attempts.incrementAndGet();
                    return door.accept(tx, mine);
                });
            });

            assertThat(outcomes.stream().flatMap(List::stream).filter(Accept.Fresh.class::isInstance))
                    .hasSize(60);
        }
        // A deadlock would be resolved by running the transaction again, which would show here.
        assertThat(attempts).hasValue(2 * 30);
    }

    @Test
    void of_many_equal_calls_at_once_one_runs_the_handler() throws Exception {
        try (TestLedger ledger = TestLedger.on(postgres.dataSource())) {
            AtomicInteger calls = new AtomicInteger();
            List<Once> outcomes = atOnce(
                    RIVALS,
                    () -> ledger.keys().once(key("k"), ORDER, () -> Verdict.commit("" + calls.incrementAndGet())));

            assertThat(calls).hasValue(1);
            assertThat(outcomes.stream().filter(Once.Ran.class::isInstance)).hasSize(1);
            assertThat(outcomes)
                    .allMatch(once -> once instanceof Once.Ran
                            || once instanceof Once.Replayed
                            || once instanceof Once.InProgress);
        }
    }

    @Test
    void of_many_equal_transactional_calls_at_once_one_has_its_effect() throws Exception {
        try (TestLedger ledger = TestLedger.on(postgres.dataSource());
                TestLedger other = TestLedger.on(postgres.dataSource(), TestKeys.STRANGER, CrashPoints.NONE)) {
            AtomicInteger turn = new AtomicInteger();
            List<Once> outcomes = atOnce(RIVALS, () -> {
                KeyLedger keys = (turn.getAndIncrement() % 2 == 0 ? ledger : other).keys();
                return keys.onceInTransaction(key("k"), ORDER, tx -> {
                    Effects.happen(tx, key("k"));
                    return Verdict.commit("done");
                });
            });

            assertThat(outcomes.stream().filter(Once.Ran.class::isInstance)).hasSize(1);
            assertThat(Effects.all(database)).containsExactly("k");
            assertThat(ledger.keys().onceInTransaction(key("k"), ORDER, tx -> Verdict.commit("again")))
                    .isInstanceOf(Once.Replayed.class);
        }
    }

    @Test
    void a_blocked_settlement_in_a_shared_commit_delays_no_other() throws Exception {
        ReserveKeys reserveKeys = new ReserveKeys(TestKeys.RETENTION);
        List<Settlement> settlements = IntStream.range(0, 3)
                .mapToObj(i -> new ReserveClaim(key("k" + i), ORDER, TestKeys.id(), TestKeys.OWNER, true))
                .map(claim -> database.transact(
                        "reserve", tx -> reserveKeys.reserve(tx, List.of(claim)).getFirst()))
                .map(outcome -> new Settlement(((Reserve.Reserved) outcome).reservation(), Verdict.commit("done")))
                .toList();
        Settlement missing =
                new Settlement(new Reservation(key("gone"), TestKeys.id(), TestKeys.OWNER, 1), Verdict.commit("done"));
        Gate gate = new Gate("the stranger that has locked k1");
        Future<?> stranger = threads.submit(() -> database.transact("run a handler", tx -> {
            new KeyStore().lockIfFree(tx, key("k1"));
            gate.pass();
            return true;
        }));
        gate.awaitArrival();

        List<Settle> outcomes = database.transact(
                "settle",
                tx -> reserveKeys
                        .settling()
                        .apply(tx, List.of(settlements.get(0), settlements.get(1), settlements.get(2), missing)));
        gate.open();
        stranger.get();

        assertThat(outcomes.get(0)).isInstanceOf(Settle.Settled.class);
        assertThat(outcomes.get(1)).isNull();
        assertThat(outcomes.get(2)).isInstanceOf(Settle.Settled.class);
        assertThat(outcomes.get(3)).isEqualTo(new Settle.Overruled(null));
        assertThat(database.transact("alone", tx -> reserveKeys.settling().apply(tx, settlements.subList(1, 2)))
                        .getFirst())
                .isInstanceOf(Settle.Settled.class);
    }

    private void awaitBlockedSession() {
        Eventually.holds(
                "a session that waits for a lock", () -> database.transact("look", ConcurrencyTest::someoneWaits));
    }

    private static boolean someoneWaits(Tx tx) throws SQLException {
        return !tx.query("""
            select pid
            from pg_stat_activity
            where wait_event_type = 'Lock' and datname = current_database()
            """, row -> row.getInt("pid")).isEmpty();
    }

    private <T> List<T> atOnce(int times, Callable<T> call) throws Exception {
        List<T> results = new ArrayList<>();
        for (Future<T> future : threads.invokeAll(Collections.nCopies(times, call))) {
            results.add(future.get());
        }
        return results;
    }
}
