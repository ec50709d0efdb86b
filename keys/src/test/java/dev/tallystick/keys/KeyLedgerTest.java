package dev.tallystick.keys;

import static dev.tallystick.keys.TestKeys.ORDER;
import static dev.tallystick.keys.TestKeys.OTHER_ORDER;
import static dev.tallystick.keys.TestKeys.OWNER;
import static dev.tallystick.keys.TestKeys.STRANGER;
import static dev.tallystick.keys.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class KeyLedgerTest {

    @RegisterExtension
    static final TestPostgres postgres = Effects.postgres();

    private static final ScopedKey KEY = key("web-1:42:9f3a6c0b1d2e4f58");

    private final Database database = Effects.emptied(postgres);
    private final TestLedger ledger = TestLedger.on(postgres.dataSource());
    private final KeyLedger keys = ledger.keys();
    private final AtomicInteger calls = new AtomicInteger();

    @AfterEach
    void close() {
        ledger.close();
    }

    @Test
    void a_handler_runs_once_and_its_answer_is_given_to_every_repeat() {
        Once first = keys.once(KEY, ORDER, this::charge);
        Once second = keys.once(KEY, ORDER, this::charge);

        assertThat(calls).hasValue(1);
        assertThat(first).isEqualTo(new Once.Ran(entry()));
        assertThat(second).isEqualTo(new Once.Replayed(entry()));
        assertThat(entry().response()).isEqualTo(StoredResponse.of("charge 1"));
    }

    @Test
    void a_rejection_is_an_answer_too() {
        assertThat(keys.once(KEY, ORDER, () -> Verdict.reject("no funds"))).isEqualTo(new Once.Ran(entry()));
        assertThat(keys.once(KEY, ORDER, this::charge)).isEqualTo(new Once.Replayed(entry()));

        assertThat(calls).hasValue(0);
        assertThat(entry().status()).isEqualTo(KeyStatus.REJECTED);
    }

    @Test
    void a_key_that_stands_for_something_else_is_refused() {
        keys.once(KEY, ORDER, this::charge);

        assertThat(keys.once(KEY, OTHER_ORDER, this::charge)).isInstanceOf(Once.Reused.class);
        assertThat(keys.onceInTransaction(KEY, OTHER_ORDER, tx -> Verdict.commit("")))
                .isInstanceOf(Once.Reused.class);
        assertThat(calls).hasValue(1);
    }

    @Test
    void a_released_key_may_be_tried_again() {
        assertThat(keys.once(KEY, ORDER, Verdict::release)).isEqualTo(new Once.Released());

        assertThat(keys.once(KEY, ORDER, this::charge)).isInstanceOf(Once.Ran.class);
    }

    @Test
    void while_a_handler_runs_a_repeat_gets_in_progress_and_runs_nothing() {
        Once outer = keys.once(KEY, ORDER, () -> {
            assertThat(keys.once(KEY, ORDER, this::charge)).isEqualTo(new Once.InProgress(entry()));
            assertThat(keys.onceInTransaction(KEY, ORDER, tx -> charge())).isEqualTo(new Once.InProgress(entry()));
            return Verdict.commit("outer");
        });

        assertThat(outer).isInstanceOf(Once.Ran.class);
        assertThat(calls).hasValue(0);
    }

    @Test
    void a_handler_that_throws_leaves_the_outcome_unknown_until_it_is_resolved() {
        assertThatThrownBy(() -> keys.once(KEY, ORDER, () -> {
                    throw new IOException("the provider hung up");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("the provider hung up");

        assertThat(keys.once(KEY, ORDER, this::charge)).isEqualTo(new Once.OutcomeUnknown(entry()));
        assertThat(keys.unresolved(10)).containsExactly(entry());

        assertThat(keys.resolve(entry(), Verdict.commit("found in their books")))
                .isInstanceOf(Settle.Settled.class);
        assertThat(keys.once(KEY, ORDER, this::charge)).isEqualTo(new Once.Replayed(entry()));
        assertThat(keys.unresolved(10)).isEmpty();
        assertThat(calls).hasValue(0);
    }

    @Test
    void a_handler_may_report_that_the_outcome_is_unknown() {
        assertThat(keys.once(KEY, ORDER, Verdict::unknown)).isEqualTo(new Once.OutcomeUnknown(entry()));
    }

    @Test
    void only_an_unknown_outcome_can_be_resolved() {
        keys.once(KEY, ORDER, () -> {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> keys.resolve(entry(), Verdict.release()))
                    .withMessageContaining("PENDING");
            return Verdict.commit("done");
        });
        assertThatIllegalArgumentException().isThrownBy(() -> keys.resolve(entry(), Verdict.release()));
    }

    @Test
    void a_handler_whose_key_was_resolved_meanwhile_is_overruled() {
        Once once = keys.once(KEY, ORDER, () -> {
            keys.recover(OWNER);
            keys.resolve(entry(), Verdict.reject("the operator knew better"));
            return charge();
        });

        assertThat(once).isEqualTo(new Once.Overruled(entry()));
        assertThat(entry().response()).isEqualTo(StoredResponse.of("the operator knew better"));
    }

    @Test
    void a_transactional_handler_commits_its_effect_with_its_answer() {
        Once first = keys.onceInTransaction(KEY, ORDER, tx -> {
            Effects.happen(tx, KEY);
            return charge();
        });
        Once second = keys.onceInTransaction(KEY, ORDER, tx -> charge());

        assertThat(first).isEqualTo(new Once.Ran(entry()));
        assertThat(second).isEqualTo(new Once.Replayed(entry()));
        assertThat(calls).hasValue(1);
        assertThat(Effects.all(database)).containsExactly("web-1:42:9f3a6c0b1d2e4f58");
    }

    @Test
    void a_transactional_handler_that_throws_leaves_neither_effect_nor_key() {
        assertThatThrownBy(() -> keys.onceInTransaction(KEY, ORDER, tx -> {
                    Effects.happen(tx, KEY);
                    throw new IllegalStateException("changed my mind");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("changed my mind")
                .hasNoSuppressedExceptions();

        assertThat(keys.lookUp(KEY)).isEmpty();
        assertThat(Effects.all(database)).isEmpty();
    }

    @Test
    void sql_that_the_database_refuses_leaves_neither_effect_nor_key() {
        assertThatThrownBy(() -> keys.onceInTransaction(KEY, ORDER, tx -> {
                    Effects.happen(tx, KEY);
                    tx.update("insert into effect (key) values (null)");
                    return charge();
                }))
                .isInstanceOf(DefiniteFailureException.class);

        assertThat(keys.lookUp(KEY)).isEmpty();
        assertThat(Effects.all(database)).isEmpty();
    }

    @Test
    void a_transactional_handler_that_settles_its_own_key_is_rolled_back() {
        assertThatThrownBy(() -> keys.onceInTransaction(KEY, ORDER, tx -> {
                    Effects.happen(tx, KEY);
                    tx.update("delete from tally.key");
                    return charge();
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("changed its own key");

        assertThat(Effects.all(database)).isEmpty();
    }

    @Test
    void while_a_transactional_handler_runs_its_reservation_is_not_taken_over() {
        keys.onceInTransaction(KEY, ORDER, tx -> {
            Effects.happen(tx, KEY);
            try (TestLedger other = TestLedger.on(postgres.dataSource(), STRANGER, CrashPoints.NONE)) {
                assertThat(other.keys().onceInTransaction(KEY, ORDER, inner -> charge()))
                        .isInstanceOf(Once.InProgress.class);
                assertThat(other.keys().recover(OWNER)).isEqualTo(Recovery.NOTHING);
            }
            return charge();
        });

        assertThat(calls).hasValue(1);
        assertThat(entry().hold()).isEqualTo(new KeyEntry.Hold(OWNER, 1, true));
    }

    @Test
    void a_transactional_reservation_that_is_not_running_is_taken_over_by_the_next_request() {
        ledger.database()
                .transact(
                        "reserve, and die",
                        tx -> new ReserveKeys(TestKeys.RETENTION)
                                .reserve(tx, List.of(new ReserveClaim(KEY, ORDER, TestKeys.id(), STRANGER, true))));

        assertThat(keys.onceInTransaction(KEY, ORDER, tx -> charge())).isInstanceOf(Once.Ran.class);

        assertThat(entry().hold()).isEqualTo(new KeyEntry.Hold(OWNER, 2, true));
    }

    @Test
    void a_foreign_reservation_is_never_taken_over() {
        ledger.database()
                .transact(
                        "reserve, and die",
                        tx -> new ReserveKeys(TestKeys.RETENTION)
                                .reserve(tx, List.of(new ReserveClaim(KEY, ORDER, TestKeys.id(), STRANGER, false))));

        assertThat(keys.once(KEY, ORDER, this::charge)).isEqualTo(new Once.InProgress(entry()));
        assertThat(keys.onceInTransaction(KEY, ORDER, tx -> charge())).isEqualTo(new Once.InProgress(entry()));
        assertThat(keys.recover(STRANGER)).isEqualTo(new Recovery(0, 1));
        assertThat(keys.once(KEY, ORDER, this::charge)).isEqualTo(new Once.OutcomeUnknown(entry()));
        assertThat(calls).hasValue(0);
    }

    private Verdict.Answer charge() {
        return Verdict.commit("charge " + calls.incrementAndGet());
    }

    private KeyEntry entry() {
        return keys.lookUp(KEY).orElseThrow();
    }
}
