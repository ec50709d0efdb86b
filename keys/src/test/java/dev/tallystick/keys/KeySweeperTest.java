package dev.tallystick.keys;

import static dev.tallystick.keys.TestKeys.ORDER;
import static dev.tallystick.keys.TestKeys.accepting;
import static dev.tallystick.keys.TestKeys.keysInTable;
import static dev.tallystick.keys.TestKeys.reserving;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.TestPostgres;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class KeySweeperTest {

    @RegisterExtension
    static final TestPostgres postgres = TestKeys.postgres();

    private final Database database = TestKeys.emptied(postgres);
    private final AcceptKeys acceptKeys = new AcceptKeys(TestKeys.RETENTION);
    private final ReserveKeys reserveKeys = new ReserveKeys(TestKeys.RETENTION);
    private final KeySweeper sweeper = new KeySweeper(database, KeyNeeds.NONE, CrashPoints.NONE);

    @Test
    void keys_that_have_not_expired_stay() {
        accept("k");

        assertThat(sweeper.sweep(10)).isZero();
        assertThat(keysInTable(database)).containsExactly("k");
    }

    @Test
    void expired_answers_are_forgotten_at_both_doors() {
        accept("accepted");
        settle("committed", Verdict.commit("done"));
        settle("rejected", Verdict.reject("no"));
        TestKeys.expireEverything(database);
        accept("young");

        assertThat(sweeper.sweep(10)).isEqualTo(3);
        assertThat(keysInTable(database)).containsExactly("young");
    }

    @Test
    void pending_and_unknown_keys_are_never_forgotten() {
        reserve("pending");
        settle("unknown", Verdict.unknown());
        database.transact("let ten years pass", tx -> tx.update("""
            update tally.key
            set first_seen_at = first_seen_at - interval '10 years'
            """));
        TestKeys.expireEverything(database);

        assertThat(sweeper.sweep(10)).isZero();
        assertThat(keysInTable(database)).containsExactly("pending", "unknown");
    }

    @Test
    void a_sweep_is_bounded_and_the_next_one_continues() {
        int expired = 2 * KeySweeper.BATCH + 1;
        for (int from = 0; from < expired; from += 500) {
            List<AcceptClaim> claims = IntStream.range(from, Math.min(expired, from + 500))
                    .mapToObj(i -> accepting("k" + i, ORDER))
                    .toList();
            database.transact("accept", tx -> acceptKeys.accept(tx, claims));
        }
        TestKeys.expireEverything(database);

        assertThat(sweeper.sweep(1)).isEqualTo(KeySweeper.BATCH);
        assertThat(sweeper.sweep(100)).isEqualTo(KeySweeper.BATCH + 1);
        assertThat(keysInTable(database)).isEmpty();
    }

    @Test
    void a_forgotten_key_is_free() {
        accept("k");
        TestKeys.expireEverything(database);
        sweeper.sweep(1);

        assertThat(accept("k")).isInstanceOf(Accept.Fresh.class);
    }

    private Accept accept(String key) {
        return database.transact(
                "accept",
                tx -> acceptKeys.accept(tx, List.of(accepting(key, ORDER))).getFirst());
    }

    private Reservation reserve(String key) {
        Reserve outcome = database.transact(
                "reserve",
                tx -> reserveKeys.reserve(tx, List.of(reserving(key, ORDER))).getFirst());
        return ((Reserve.Reserved) outcome).reservation();
    }

    private void settle(String key, Verdict verdict) {
        Reservation reservation = reserve(key);
        database.transact("settle", tx -> reserveKeys.settle(tx, List.of(new Settlement(reservation, verdict))));
    }
}
