package dev.tallystick.keys;

import static dev.tallystick.keys.TestKeys.ORDER;
import static dev.tallystick.keys.TestKeys.OTHER_ORDER;
import static dev.tallystick.keys.TestKeys.accepting;
import static dev.tallystick.keys.TestKeys.id;
import static dev.tallystick.keys.TestKeys.key;
import static dev.tallystick.keys.TestKeys.keysInTable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.Destination;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.TestPostgres;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class AcceptKeysTest {

    @RegisterExtension
    static final TestPostgres postgres = TestKeys.postgres();

    private final Database database = TestKeys.emptied(postgres);
    private final AcceptKeys door = new AcceptKeys(TestKeys.RETENTION);

    @Test
    void a_free_key_is_bound_to_the_claim() {
        AcceptClaim claim = new AcceptClaim(
                key("web-1:42:9f3a6c0b1d2e4f58"),
                ORDER,
                Destination.parse("topic:alerts"),
                id(),
                StoredResponse.of("{}"),
                id());

        KeyEntry entry = fresh(accept(claim));

        assertThat(entry.key()).isEqualTo(claim.key());
        assertThat(entry.keyKind()).isEqualTo(KeyKind.ACCEPT);
        assertThat(entry.status()).isEqualTo(KeyStatus.COMMITTED);
        assertThat(entry.fingerprint()).isEqualTo(ORDER);
        assertThat(entry.destination()).isEqualTo(Destination.parse("topic:alerts"));
        assertThat(entry.original()).isEqualTo(claim.original());
        assertThat(entry.response()).isEqualTo(StoredResponse.of("{}"));
        assertThat(entry.history()).isEqualTo(claim.history());
        assertThat(entry.historyAvailable()).isTrue();
        assertThat(Duration.between(entry.firstSeen(), entry.expires())).isEqualTo(Duration.ofDays(365));
        assertThat(entry.hold()).isNull();
    }

    @Test
    void an_equal_request_under_the_same_key_gets_the_first_entry() {
        KeyEntry first = fresh(accept(accepting("k", ORDER)));

        assertThat(accept(accepting("k", ORDER))).isEqualTo(new Accept.Replayed(first));
    }

    @Test
    void another_request_under_the_same_key_is_refused_with_both_prefixes() {
        accept(accepting("k", ORDER));

        assertThat(accept(accepting("k", OTHER_ORDER)))
                .isEqualTo(new Accept.Reused(new KeyReuse(key("k"), "0101010101010101", "0202020202020202")));
    }

    @Test
    void a_claim_that_is_repeated_after_a_lost_reply_recognises_its_own_row() {
        AcceptClaim claim = accepting("k", ORDER);
        KeyEntry first = fresh(accept(claim));

        assertThat(accept(claim)).isEqualTo(new Accept.Confirmed(first));
    }

    @Test
    void a_key_that_is_twice_in_a_batch_is_fresh_once() {
        AcceptClaim first = accepting("k", ORDER);

        List<Accept> outcomes = accept(
                List.of(accepting("a", ORDER), first, accepting("k", ORDER), accepting("k", OTHER_ORDER), first));

        assertThat(outcomes.get(0)).isInstanceOf(Accept.Fresh.class);
        KeyEntry bound = fresh(outcomes.get(1));
        assertThat(bound.original()).isEqualTo(first.original());
        assertThat(outcomes.get(2)).isEqualTo(new Accept.Replayed(bound));
        assertThat(outcomes.get(3)).isInstanceOf(Accept.Reused.class);
        assertThat(outcomes.get(4)).isEqualTo(new Accept.Confirmed(bound));
        assertThat(keysInTable(database)).containsExactly("a", "k");
    }

    @Test
    void a_batch_answers_in_the_order_of_its_claims_whatever_was_bound_before() {
        KeyEntry b = fresh(accept(accepting("b", ORDER)));
        KeyEntry d = fresh(accept(accepting("d", ORDER)));

        List<Accept> outcomes = accept(List.of(
                accepting("e", ORDER),
                accepting("d", ORDER),
                accepting("c", ORDER),
                accepting("b", OTHER_ORDER),
                accepting("b", ORDER)));

        assertThat(fresh(outcomes.get(0)).key()).isEqualTo(key("e"));
        assertThat(outcomes.get(1)).isEqualTo(new Accept.Replayed(d));
        assertThat(fresh(outcomes.get(2)).key()).isEqualTo(key("c"));
        assertThat(outcomes.get(3)).isInstanceOf(Accept.Reused.class);
        assertThat(outcomes.get(4)).isEqualTo(new Accept.Replayed(b));
    }

    @Test
    void the_same_key_of_another_mesh_or_member_or_at_the_other_door_is_another_key() {
        IdempotencyKey key = key("k").key();
        for (Scope scope : List.of(Scope.DEFAULT, new Scope("mesh-2", "library"), new Scope("default", "member-2"))) {
            AcceptClaim claim = new AcceptClaim(new ScopedKey(scope, key), ORDER, TestKeys.WORKFLOW, id());

            assertThat(accept(claim)).isInstanceOf(Accept.Fresh.class);
        }
        List<Reserve> reserved = database.transact(
                "reserve",
                tx -> new ReserveKeys(TestKeys.RETENTION).reserve(tx, List.of(TestKeys.reserving("k", OTHER_ORDER))));

        assertThat(reserved.getFirst()).isInstanceOf(Reserve.Reserved.class);
        assertThat(keysInTable(database)).hasSize(4);
    }

    @Test
    void a_rejection_inside_the_transaction_leaves_no_row() {
        assertThatThrownBy(() -> database.transact("accept, then reject", tx -> {
                    door.accept(tx, List.of(accepting("k", ORDER)));
                    throw new IllegalStateException("no such topic");
                }))
                .hasMessage("no such topic");

        assertThat(keysInTable(database)).isEmpty();
        assertThat(accept(accepting("k", OTHER_ORDER))).isInstanceOf(Accept.Fresh.class);
    }

    @Test
    void looking_up_finds_what_is_bound_and_nothing_else() {
        KeyEntry a = fresh(accept(accepting("a", ORDER)));
        database.transact(
                "reserve",
                tx -> new ReserveKeys(TestKeys.RETENTION).reserve(tx, List.of(TestKeys.reserving("b", ORDER))));

        assertThat(lookUp(List.of(key("a"), key("b"), key("a")))).isEqualTo(Map.of(key("a"), a));
        assertThat(lookUp(List.of())).isEmpty();
    }

    @Test
    void a_full_batch_with_responses_is_read_back_as_it_was_written() {
        List<AcceptClaim> claims = IntStream.range(0, 500)
                .mapToObj(i -> new AcceptClaim(
                        key("k" + i),
                        TestKeys.fingerprint(i % 100),
                        Destination.parse("workflow:w" + i),
                        id(),
                        i % 2 == 0 ? StoredResponse.of("response " + i) : null,
                        i % 3 == 0 ? id() : null))
                .toList();

        List<Accept> outcomes = accept(claims);
        Map<ScopedKey, KeyEntry> found =
                lookUp(claims.stream().map(AcceptClaim::key).toList());

        for (int i = 0; i < claims.size(); i++) {
            AcceptClaim claim = claims.get(i);
            KeyEntry entry = fresh(outcomes.get(i));
            assertThat(found).containsEntry(claim.key(), entry);
            assertThat(entry.fingerprint()).isEqualTo(claim.fingerprint());
            assertThat(entry.destination()).isEqualTo(claim.destination());
            assertThat(entry.response()).isEqualTo(claim.response());
            assertThat(entry.history()).isEqualTo(claim.history());
            assertThat(entry.historyAvailable()).isEqualTo(claim.history() != null);
        }
    }

    @Test
    void the_longest_names_of_the_widest_characters_fit() {
        // Random, because Postgres compresses repetitions.
        String widest = new Random(42)
                .ints(0x20000, 0x2a000)
                .limit(255)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        String name = widest.substring(0, widest.offsetByCodePoints(0, Scope.MAX_LENGTH));
        ScopedKey key = new ScopedKey(new Scope(name, name), new IdempotencyKey(widest));

        assertThat(accept(new AcceptClaim(key, ORDER, TestKeys.WORKFLOW, id()))).isInstanceOf(Accept.Fresh.class);
    }

    @Test
    void an_empty_batch_is_answered_with_nothing() {
        assertThat(accept(List.of())).isEmpty();
    }

    private Accept accept(AcceptClaim claim) {
        return accept(List.of(claim)).getFirst();
    }

    private List<Accept> accept(List<AcceptClaim> claims) {
        return database.transact("accept", tx -> door.accept(tx, claims));
    }

    private Map<ScopedKey, KeyEntry> lookUp(List<ScopedKey> keys) {
        return database.transact("look up", tx -> door.lookUp(tx, keys));
    }

    private static KeyEntry fresh(Accept outcome) {
        assertThat(outcome).isInstanceOf(Accept.Fresh.class);
        return ((Accept.Fresh) outcome).entry();
    }
}
