package dev.tallystick.keys;

import static dev.tallystick.keys.TestKeys.ORDER;
import static dev.tallystick.keys.TestKeys.OTHER_ORDER;
import static dev.tallystick.keys.TestKeys.OWNER;
import static dev.tallystick.keys.TestKeys.STRANGER;
import static dev.tallystick.keys.TestKeys.id;
import static dev.tallystick.keys.TestKeys.key;
import static dev.tallystick.keys.TestKeys.reserving;
import static dev.tallystick.keys.TestKeys.reservingTransactionally;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.sql.Database;
import dev.tallystick.sql.Primitive;
import dev.tallystick.testkit.TestPostgres;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReserveKeysTest {

    @RegisterExtension
    static final TestPostgres postgres = TestKeys.postgres();

    private final Database database = TestKeys.emptied(postgres);
    private final ReserveKeys door = new ReserveKeys(TestKeys.RETENTION);

    @Test
    void a_reserved_key_is_pending_with_an_owner_and_a_fence_and_does_not_expire() {
        ReserveClaim claim = reserving("k", ORDER);

        Reservation reservation = reserved(reserve(claim));

        assertThat(reservation).isEqualTo(new Reservation(key("k"), claim.id(), OWNER, 1));
        KeyEntry entry = entry("k");
        assertThat(entry.reservation()).isEqualTo(reservation);
        assertThat(entry.keyKind()).isEqualTo(KeyKind.RESERVE);
        assertThat(entry.status()).isEqualTo(KeyStatus.PENDING);
        assertThat(entry.fingerprint()).isEqualTo(ORDER);
        assertThat(entry.hold()).isEqualTo(new KeyEntry.Hold(OWNER, 1, false));
        assertThat(entry.expires()).isNull();
    }

    @Test
    void a_duplicate_of_a_pending_request_gets_the_original_id() {
        ReserveClaim original = reserving("k", ORDER);
        reserve(original);

        assertThat(reserve(reserving("k", ORDER))).isEqualTo(new Reserve.InProgress(entry("k")));
        assertThat(entry("k").original()).isEqualTo(original.id());
    }

    @Test
    void many_may_look_up_the_same_key_in_one_round_trip() {
        reserve(reserving("k", ORDER));
        Primitive<ScopedKey, Optional<KeyEntry>> lookingUp = door.lookingUp();

        List<Optional<KeyEntry>> found =
                database.transact("look up", tx -> lookingUp.apply(tx, List.of(key("k"), key("free"), key("k"))));

        assertThat(found).containsExactly(Optional.of(entry("k")), Optional.empty(), Optional.of(entry("k")));
        assertThat(lookingUp.orderKey(key("k"))).isNotEqualTo(lookingUp.orderKey(key("k")));
    }

    @Test
    void another_request_under_the_same_key_is_refused_in_every_state() {
        Reservation reservation = reserved(reserve(reserving("k", ORDER)));
        Reserve refused = new Reserve.Reused(new KeyReuse(key("k"), "0101010101010101", "0202020202020202"));

        assertThat(reserve(reserving("k", OTHER_ORDER))).isEqualTo(refused);
        settle(reservation, Verdict.unknown());
        assertThat(reserve(reserving("k", OTHER_ORDER))).isEqualTo(refused);
        settle(reservation, Verdict.commit("done"));
        assertThat(reserve(reserving("k", OTHER_ORDER))).isEqualTo(refused);
    }

    @Test
    void a_reservation_that_is_repeated_after_a_lost_reply_is_held_once() {
        ReserveClaim claim = reserving("k", ORDER);

        assertThat(reserve(claim)).isEqualTo(reserve(claim));
        assertThat(reserve(new ReserveClaim(key("k"), ORDER, claim.id(), STRANGER, false)))
                .isInstanceOf(Reserve.InProgress.class);
    }

    @Test
    void a_key_that_is_twice_in_a_batch_is_reserved_once() {
        List<Reserve> outcomes = database.transact(
                "reserve",
                tx -> door.reserve(
                        tx,
                        List.of(
                                reserving("b", ORDER),
                                reserving("a", ORDER),
                                reserving("b", ORDER),
                                reserving("b", OTHER_ORDER))));

        assertThat(outcomes)
                .extracting(outcome -> (Object) outcome.getClass())
                .containsExactly(
                        Reserve.Reserved.class, Reserve.Reserved.class, Reserve.InProgress.class, Reserve.Reused.class);
    }

    static List<Verdict> answers() {
        return List.of(Verdict.commit("the receipt"), Verdict.reject("no funds"));
    }

    @ParameterizedTest
    @MethodSource("answers")
    void an_answer_is_given_again_to_every_duplicate(Verdict.Answer answer) {
        Reservation reservation = reserved(reserve(reserving("k", ORDER)));

        assertThat(settle(reservation, answer)).isEqualTo(new Settle.Settled(entry("k")));
        assertThat(reserve(reserving("k", ORDER))).isEqualTo(new Reserve.Replayed(entry("k")));

        KeyEntry entry = entry("k");
        assertThat(entry.status()).isEqualTo(KeyStore.statusAfter(answer));
        assertThat(entry.response()).isEqualTo(answer.response());
        assertThat(Duration.between(entry.firstSeen(), entry.expires())).isGreaterThanOrEqualTo(Duration.ofDays(365));
    }

    @ParameterizedTest
    @MethodSource("answers")
    void an_answer_is_immutable_even_for_the_owner(Verdict answer) {
        Reservation reservation = reserved(reserve(reserving("k", ORDER)));
        settle(reservation, answer);
        KeyEntry answered = entry("k");

        for (Verdict later :
                List.of(Verdict.commit("other"), Verdict.reject("other"), Verdict.release(), Verdict.unknown())) {
            assertThat(settle(reservation, later)).isEqualTo(new Settle.Overruled(answered));
        }
        assertThat(settle(reservation, answer)).isEqualTo(new Settle.Settled(answered));
        assertThat(entry("k")).isEqualTo(answered);
    }

    @Test
    void a_released_key_is_free_and_the_release_may_be_repeated() {
        Reservation first = reserved(reserve(reserving("k", ORDER)));

        assertThat(settle(first, Verdict.release())).isEqualTo(new Settle.Released());
        assertThat(settle(first, Verdict.release())).isEqualTo(new Settle.Released());
        Reservation second = reserved(reserve(reserving("k", OTHER_ORDER)));
        assertThat(settle(first, Verdict.release())).isEqualTo(new Settle.Released());

        assertThat(entry("k").reservation()).isEqualTo(second);
    }

    @Test
    void an_unknown_outcome_stays_unknown_until_it_is_resolved() {
        Reservation reservation = reserved(reserve(reserving("k", ORDER)));

        assertThat(settle(reservation, Verdict.unknown())).isEqualTo(new Settle.Settled(entry("k")));
        assertThat(settle(reservation, Verdict.unknown())).isEqualTo(new Settle.Settled(entry("k")));
        assertThat(reserve(reserving("k", ORDER))).isEqualTo(new Reserve.OutcomeUnknown(entry("k")));
        assertThat(entry("k").expires()).isNull();

        settle(reservation, Verdict.commit("found out"));
        assertThat(entry("k").status()).isEqualTo(KeyStatus.COMMITTED);
    }

    static List<Verdict> verdicts() {
        return List.of(Verdict.commit("late"), Verdict.reject("late"), Verdict.release(), Verdict.unknown());
    }

    @ParameterizedTest
    @MethodSource("verdicts")
    void an_owner_that_was_succeeded_cannot_write(Verdict verdict) {
        Reservation stale = reserved(reserve(reservingTransactionally("k", ORDER)));
        hold(new ReserveClaim(key("k"), ORDER, id(), STRANGER, true));
        KeyEntry successor = entry("k");
        assertThat(successor.hold()).isEqualTo(new KeyEntry.Hold(STRANGER, 2, true));

        assertThat(settle(stale, verdict)).isEqualTo(new Settle.Overruled(successor));

        assertThat(entry("k")).isEqualTo(successor);
        assertThat(settle(successor.reservation(), Verdict.commit("right"))).isInstanceOf(Settle.Settled.class);
    }

    @Test
    void an_owner_whose_key_was_released_and_reserved_again_cannot_write_into_the_new_reservation() {
        Reservation stale = reserved(reserve(reserving("k", ORDER)));
        settle(stale, Verdict.release());
        Reservation current = reserved(reserve(reserving("k", ORDER)));
        assertThat(current.fence()).isEqualTo(stale.fence());
        assertThat(current.owner()).isEqualTo(stale.owner());

        assertThat(settle(stale, Verdict.commit("late"))).isEqualTo(new Settle.Overruled(entry("k")));
        assertThat(settle(stale, Verdict.reject("late"))).isEqualTo(new Settle.Overruled(entry("k")));

        assertThat(entry("k").status()).isEqualTo(KeyStatus.PENDING);
        assertThat(entry("k").reservation()).isEqualTo(current);
    }

    @Test
    void a_reservation_with_a_forged_part_settles_nothing() {
        Reservation real = reserved(reserve(reserving("k", ORDER)));

        for (Reservation forged : forgeries(real)) {
            assertThat(settle(forged, Verdict.commit("forged"))).isInstanceOf(Settle.Overruled.class);
        }
        assertThat(settle(new Reservation(key("elsewhere"), real.id(), real.owner(), 1), Verdict.commit("forged")))
                .isEqualTo(new Settle.Overruled(null));
        assertThat(entry("k").status()).isEqualTo(KeyStatus.PENDING);
    }

    @Test
    void the_guards_are_in_the_statements_and_not_only_before_them() {
        Reservation real = reserved(reserve(reservingTransactionally("k", ORDER)));

        for (Reservation forged : forgeries(real)) {
            assertThat(writeBehindTheDoor(forged)).isZero();
        }
        settle(real, Verdict.commit("final"));
        assertThat(writeBehindTheDoor(real)).isZero();
    }

    private int writeBehindTheDoor(Reservation reservation) {
        KeyStore store = new KeyStore();
        return database.transact("write behind the door's back", tx -> {
            List<Settlement> late = List.of(new Settlement(reservation, Verdict.commit("late")));
            int settled = store.settle(tx, late, TestKeys.RETENTION).size();
            int released = store.release(tx, late).size();
            int takenOver = store.takeOver(tx, reservation, STRANGER).isPresent() ? 1 : 0;
            return settled + released + takenOver;
        });
    }

    private static List<Reservation> forgeries(Reservation real) {
        return List.of(
                new Reservation(real.key(), id(), real.owner(), real.fence()),
                new Reservation(real.key(), real.id(), STRANGER, real.fence()),
                new Reservation(real.key(), real.id(), real.owner(), real.fence() + 1));
    }

    @Test
    void a_batch_settles_each_key_by_its_own_verdict() {
        Reservation a = reserved(reserve(reserving("a", ORDER)));
        Reservation b = reserved(reserve(reserving("b", ORDER)));
        Reservation c = reserved(reserve(reserving("c", ORDER)));
        Reservation d = reserved(reserve(reserving("d", ORDER)));

        List<Settle> outcomes = database.transact(
                "settle",
                tx -> door.settle(
                        tx,
                        List.of(
                                new Settlement(d, Verdict.unknown()),
                                new Settlement(b, Verdict.reject("b")),
                                new Settlement(c, Verdict.release()),
                                new Settlement(a, Verdict.commit("a")))));

        assertThat(outcomes)
                .containsExactly(
                        new Settle.Settled(entry("d")),
                        new Settle.Settled(entry("b")),
                        new Settle.Released(),
                        new Settle.Settled(entry("a")));
        assertThat(entry("a").response()).isEqualTo(StoredResponse.of("a"));
        assertThat(entry("b").response()).isEqualTo(StoredResponse.of("b"));
        assertThat(entry("d").status()).isEqualTo(KeyStatus.OUTCOME_UNKNOWN);
        assertThat(find("c")).isEmpty();
    }

    @Test
    void a_batch_that_settles_one_key_twice_is_refused() {
        Reservation reservation = reserved(reserve(reserving("k", ORDER)));
        Settlement settlement = new Settlement(reservation, Verdict.commit("done"));

        assertThatThrownBy(() -> database.transact("settle", tx -> door.settle(tx, List.of(settlement, settlement))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("settled twice in one batch: default/library/k");
        assertThat(entry("k").status()).isEqualTo(KeyStatus.PENDING);
    }

    @Test
    void after_a_crash_only_transactional_reservations_are_released() {
        reserve(reserving("foreign", ORDER));
        reserve(reservingTransactionally("transactional", ORDER));
        reserve(new ReserveClaim(key("of a stranger"), ORDER, id(), STRANGER, true));
        Reservation settled = reserved(reserve(reserving("settled", ORDER)));
        settle(settled, Verdict.commit("done"));

        Recovery recovery = recover(10);

        assertThat(recovery).isEqualTo(new Recovery(1, 1));
        assertThat(find("transactional")).isEmpty();
        assertThat(entry("foreign").status()).isEqualTo(KeyStatus.OUTCOME_UNKNOWN);
        assertThat(entry("of a stranger").status()).isEqualTo(KeyStatus.PENDING);
        assertThat(entry("settled").status()).isEqualTo(KeyStatus.COMMITTED);
        assertThat(recover(10)).isEqualTo(Recovery.NOTHING);
    }

    @Test
    void recovery_decides_about_a_bounded_number_at_a_time() {
        for (int i = 0; i < 5; i++) {
            reserve(reserving("k" + i, ORDER));
        }

        assertThat(recover(3)).isEqualTo(new Recovery(0, 3));
        assertThat(recover(3)).isEqualTo(new Recovery(0, 2));
    }

    @Test
    void an_owner_that_was_only_thought_dead_can_still_settle_what_became_unknown() {
        Reservation reservation = reserved(reserve(reserving("k", ORDER)));
        recover(10);

        assertThat(settle(reservation, Verdict.commit("alive"))).isInstanceOf(Settle.Settled.class);
    }

    @Test
    void open_keys_are_listed_with_the_oldest_first() {
        reserve(reserving("first", ORDER));
        settle(reserved(reserve(reserving("second", ORDER))), Verdict.unknown());
        settle(reserved(reserve(reserving("done", ORDER))), Verdict.commit("done"));
        reserve(reserving("third", ORDER));

        assertThat(unresolved(10)).containsExactly(entry("first"), entry("second"), entry("third"));
        assertThat(unresolved(1)).containsExactly(entry("first"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_holder_cannot_settle_a_key_that_an_operator_has_resolved(boolean unknown) {
        Reservation held = reserved(reserve(reserving("k", ORDER)));
        if (unknown) {
            settle(held, Verdict.unknown());
        }

        Settle resolved = resolve(held, Verdict.commit("paid"));

        assertThat(resolved).isEqualTo(new Settle.Settled(entry("k")));
        assertThat(entry("k").reservation()).isEqualTo(new Reservation(key("k"), held.id(), STRANGER, 2));
        assertThat(settle(held, Verdict.commit("paid"))).isEqualTo(new Settle.Overruled(entry("k")));
        assertThat(settle(held, Verdict.release())).isEqualTo(new Settle.Overruled(entry("k")));
        assertThat(resolve(held, Verdict.commit("paid")))
                .as("again, after a lost reply")
                .isEqualTo(resolved);
        assertThat(resolve(held, Verdict.reject("no"))).isEqualTo(new Settle.Overruled(entry("k")));
        assertThat(reserve(reserving("k", ORDER))).isEqualTo(new Reserve.Replayed(entry("k")));
    }

    @Test
    void a_key_that_an_operator_has_released_is_free_and_its_holder_cannot_settle_it() {
        Reservation held = reserved(reserve(reserving("k", ORDER)));

        assertThat(resolve(held, Verdict.release())).isEqualTo(new Settle.Released());
        assertThat(resolve(held, Verdict.release())).isEqualTo(new Settle.Released());

        Reservation next = reserved(reserve(reserving("k", ORDER)));
        assertThat(settle(held, Verdict.commit("late"))).isEqualTo(new Settle.Overruled(entry("k")));
        assertThat(settle(next, Verdict.commit("done"))).isEqualTo(new Settle.Settled(entry("k")));
    }

    @Test
    void an_operator_resolves_only_the_reservation_that_they_saw() {
        Reservation held = reserved(reserve(reserving("k", ORDER)));
        KeyEntry before = entry("k");

        for (Reservation other : List.of(
                new Reservation(held.key(), id(), OWNER, held.fence()),
                new Reservation(held.key(), held.id(), OWNER, held.fence() + 1))) {
            assertThat(resolve(other, Verdict.commit("x"))).isEqualTo(new Settle.Overruled(before));
        }
        assertThat(entry("k")).isEqualTo(before);
        settle(held, Verdict.commit("done"));
        assertThat(resolve(held, Verdict.commit("done"))).isEqualTo(new Settle.Overruled(entry("k")));
    }

    private Settle resolve(Reservation seen, Verdict.Resolution resolution) {
        return database.transact(
                "resolve", tx -> door.resolve(tx, seen.key(), seen.id(), seen.fence(), STRANGER, resolution));
    }

    private Reserve reserve(ReserveClaim claim) {
        return database.transact(
                "reserve", tx -> door.reserve(tx, List.of(claim)).getFirst());
    }

    private Settle settle(Reservation reservation, Verdict verdict) {
        return database.transact(
                "settle",
                tx -> door.settle(tx, List.of(new Settlement(reservation, verdict)))
                        .getFirst());
    }

    private Optional<Reserve> hold(ReserveClaim claim) {
        return database.transact("hold", tx -> door.hold(tx, claim));
    }

    private Recovery recover(int limit) {
        return database.transact("recover", tx -> door.recover(tx, OWNER, limit));
    }

    private List<KeyEntry> unresolved(int limit) {
        return database.transact("list", tx -> door.unresolved(tx, limit));
    }

    private KeyEntry entry(String key) {
        return find(key).orElseThrow();
    }

    private Optional<KeyEntry> find(String key) {
        Map<ScopedKey, KeyEntry> found = database.transact("look up", tx -> door.lookUp(tx, List.of(key(key))));
        return Optional.ofNullable(found.get(key(key)));
    }

    private static Reservation reserved(Reserve outcome) {
        assertThat(outcome).isInstanceOf(Reserve.Reserved.class);
        return ((Reserve.Reserved) outcome).reservation();
    }
}
