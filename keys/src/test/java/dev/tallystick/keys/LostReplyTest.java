package dev.tallystick.keys;

import static dev.tallystick.keys.TestKeys.ORDER;
import static dev.tallystick.keys.TestKeys.OWNER;
import static dev.tallystick.keys.TestKeys.accepting;
import static dev.tallystick.keys.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import dev.tallystick.sql.UnknownOutcomeException;
import dev.tallystick.testkit.CommitFate;
import dev.tallystick.testkit.CommitPolicy;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TcpProxy;
import dev.tallystick.testkit.TestPostgres;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** COMMIT was sent and no reply came: it happened, or it did not, or it is still in transit. */
class LostReplyTest {

    @RegisterExtension
    static final TestPostgres postgres = Effects.postgres();

    private static final ScopedKey KEY = key("k");

    private final TcpProxy proxy = postgres.proxy();
    private final Database direct = Effects.emptied(postgres);
    private final TestLedger ledger = TestLedger.on(postgres.proxied(proxy));
    private final KeyLedger keys = ledger.keys();
    private final AtomicInteger calls = new AtomicInteger();

    @AfterEach
    void close() {
        proxy.pass();
        ledger.close();
        proxy.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"LOSE_REPLY", "CUT_BEFORE"})
    void an_accept_whose_reply_is_lost_is_unknown_and_its_repeat_is_accepted_once(CommitFate fate) {
        AcceptKeys door = new AcceptKeys(TestKeys.RETENTION);
        AcceptClaim claim = accepting("k", ORDER);
        proxy.onNextCommit(fate);

        assertThatThrownBy(() -> accept(door, claim)).isInstanceOf(UnknownOutcomeException.class);
        Accept repeated = accept(door, claim);

        if (fate == CommitFate.LOSE_REPLY) {
            assertThat(repeated).isInstanceOf(Accept.Confirmed.class);
        } else {
            assertThat(repeated).isInstanceOf(Accept.Fresh.class);
        }
        assertThat(Effects.all(direct)).containsExactly("k");
        assertThat(accept(door, accepting("k", ORDER))).isInstanceOf(Accept.Replayed.class);
    }

    /** Like the engine: a fresh claim writes its effect in the same transaction. */
    private Accept accept(AcceptKeys door, AcceptClaim claim) {
        return ledger.database().transact("accept", tx -> {
            Accept outcome = door.accept(tx, List.of(claim)).getFirst();
            if (outcome instanceof Accept.Fresh) {
                Effects.happen(tx, claim.key());
            }
            return outcome;
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"LOSE_REPLY", "CUT_BEFORE"})
    void a_lost_reply_to_a_reservation_or_to_its_answer_is_looked_up_transparently(CommitFate fate) {
        proxy.onCommit(commit -> commit.ordinal() % 2 == 1 ? fate : CommitFate.FORWARD);

        for (int i = 0; i < 10; i++) {
            assertThat(keys.once(key("k" + i), ORDER, this::call)).isInstanceOf(Once.Ran.class);
        }

        assertThat(calls).hasValue(10);
        assertThat(proxy.commits(fate)).isPositive();
    }

    @Test
    void an_unconfirmed_reservation_is_confirmed_when_the_request_is_repeated() {
        proxy.onCommit(commit -> {
            proxy.refuse();
            return CommitFate.LOSE_REPLY;
        });
        assertThatThrownBy(() -> keys.once(KEY, ORDER, this::call)).isInstanceOf(UnknownOutcomeException.class);
        assertThatThrownBy(() -> keys.once(KEY, ORDER, this::call)).isInstanceOf(RuntimeException.class);
        assertThat(calls).hasValue(0);
        proxy.onCommit(CommitPolicy.always(CommitFate.FORWARD));
        proxy.pass();

        assertThat(keys.once(KEY, ORDER, this::call)).isInstanceOf(Once.Ran.class);
        assertThat(keys.once(KEY, ORDER, this::call)).isInstanceOf(Once.Replayed.class);
        assertThat(calls).hasValue(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"LOSE_REPLY", "CUT_BEFORE"})
    void an_answer_that_could_not_be_recorded_is_recorded_when_the_request_is_repeated(CommitFate fate) {
        assertThatThrownBy(() -> keys.once(KEY, ORDER, () -> {
                    proxy.onCommit(commit -> {
                        proxy.refuse();
                        return fate;
                    });
                    return call();
                }))
                .isInstanceOf(UnknownOutcomeException.class)
                .hasMessageContaining("repeat the request under the same key");
        proxy.onCommit(CommitPolicy.always(CommitFate.FORWARD));
        proxy.pass();

        assertThat(keys.once(KEY, ORDER, this::call)).isEqualTo(new Once.Replayed(entry()));
        assertThat(entry().response()).isEqualTo(StoredResponse.of("call 1"));
        assertThat(calls).hasValue(1);
    }

    @Test
    void a_failure_that_could_not_be_recorded_keeps_the_handler_from_running_again() {
        assertThatThrownBy(() -> keys.once(KEY, ORDER, () -> {
                    proxy.refuse();
                    proxy.cut();
                    throw new IllegalStateException("half done");
                }))
                .hasMessage("half done")
                .satisfies(failure -> assertThat(failure.getSuppressed())
                        .singleElement()
                        .isInstanceOf(UnknownOutcomeException.class));
        assertThat(status()).isEqualTo(KeyStatus.PENDING);
        proxy.pass();

        assertThat(keys.once(KEY, ORDER, this::call)).isInstanceOf(Once.OutcomeUnknown.class);
        assertThat(status()).isEqualTo(KeyStatus.OUTCOME_UNKNOWN);
        assertThat(calls).hasValue(0);
    }

    @ParameterizedTest
    @EnumSource(names = {"LOSE_REPLY", "CUT_BEFORE"})
    void a_transactional_call_whose_reply_is_lost_is_unknown_and_its_repeat_has_one_effect(CommitFate fate) {
        proxy.onCommit(CommitPolicy.nextMentioning("insert into effect", fate));

        assertThatThrownBy(() -> keys.onceInTransaction(KEY, ORDER, this::effect))
                .isInstanceOf(UnknownOutcomeException.class);
        // Until the server notices that the session was cut, the reservation counts as running.
        Once repeated = Eventually.value(
                "the session has ended",
                () -> keys.onceInTransaction(KEY, ORDER, this::effect),
                once -> !(once instanceof Once.InProgress));

        assertThat(repeated).isInstanceOf(fate == CommitFate.LOSE_REPLY ? Once.Replayed.class : Once.Ran.class);
        assertThat(Effects.all(direct)).containsExactly("k");
    }

    @Test
    void a_commit_in_transit_is_neither_overtaken_nor_given_up() {
        proxy.onCommit(CommitPolicy.nextMentioning("insert into effect", CommitFate.HOLD));
        assertThatThrownBy(() -> keys.onceInTransaction(KEY, ORDER, this::effect))
                .isInstanceOf(UnknownOutcomeException.class)
                .hasNoSuppressedExceptions();

        assertThat(keys.onceInTransaction(KEY, ORDER, this::effect)).isInstanceOf(Once.InProgress.class);
        assertThat(keys.recover(OWNER)).isEqualTo(Recovery.NOTHING);
        assertThat(Effects.all(direct)).isEmpty();
        assertThat(proxy.held().getFirst().release()).isTrue();

        assertThat(keys.onceInTransaction(KEY, ORDER, this::effect)).isInstanceOf(Once.Replayed.class);
        assertThat(Effects.all(direct)).containsExactly("k");
        assertThat(calls).hasValue(1);
    }

    private Verdict.Answer effect(Tx tx) throws SQLException {
        Effects.happen(tx, KEY);
        return call();
    }

    private Verdict.Answer call() {
        return Verdict.commit("call " + calls.incrementAndGet());
    }

    private KeyStatus status() {
        return direct.transact("look up", tx -> new KeyStore().read(tx, KeyKind.RESERVE, List.of(KEY)))
                .getFirst()
                .status();
    }

    private KeyEntry entry() {
        return keys.lookUp(KEY).orElseThrow();
    }
}
