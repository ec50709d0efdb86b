package dev.tallystick.keys;

import static dev.tallystick.keys.TestKeys.ORDER;
import static dev.tallystick.keys.TestKeys.OTHER_ORDER;
import static dev.tallystick.keys.TestKeys.accepting;
import static dev.tallystick.keys.TestKeys.key;
import static dev.tallystick.keys.TestKeys.keysInTable;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.sql.Also;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.Gate;
import dev.tallystick.testkit.TestPostgres;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An erased key still stands for its first request, and its text is gone. */
class ErasedKeysTest {

    @RegisterExtension
    static final TestPostgres postgres = TestKeys.postgres();

    private final Database database = TestKeys.emptied(postgres);
    private final AcceptKeys acceptKeys = new AcceptKeys(TestKeys.RETENTION);
    private final ErasedKeys erasedKeys = new ErasedKeys(database, new Random(1));

    private Accept accept(AcceptClaim claim) {
        return database.transact("accept", tx -> acceptKeys.accept(tx, List.of(claim)))
                .getFirst();
    }

    private void cover(AcceptClaim claim) {
        database.transact("cover", tx -> {
            erasedKeys.cover(tx, claim.key(), claim.original());
            return null;
        });
    }

    private boolean remove(AcceptClaim claim) {
        return erasedKeys.remove(List.of(claim.key()), Also.NOTHING);
    }

    @Test
    void a_repeat_under_an_erased_key_gets_the_first_answer() {
        AcceptClaim first = accepting("order:42", ORDER);
        accept(first);
        cover(first);
        assertThat(remove(first)).isTrue();

        assertThat(keysInTable(database)).singleElement().asString().startsWith("erased:");
        assertThat(accept(accepting("order:42", ORDER))).isInstanceOfSatisfying(Accept.Replayed.class, replayed -> {
            assertThat(replayed.entry().original()).isEqualTo(first.original());
            assertThat(replayed.entry().key()).isEqualTo(key("order:42"));
            assertThat(replayed.entry().fingerprint()).isEqualTo(ORDER);
        });
        assertThat(accept(accepting("order:42", OTHER_ORDER))).isInstanceOf(Accept.Reused.class);
        assertThat(accept(accepting("order:43", ORDER))).isInstanceOf(Accept.Fresh.class);
    }

    @Test
    void the_table_tells_neither_the_key_nor_the_request_of_an_erased_key() {
        AcceptClaim first = accepting("order:42", ORDER);
        accept(first);
        cover(first);
        remove(first);

        List<String> rows = database.transact(
                "read rows", tx -> tx.query("select k::text as row from tally.key k", row -> row.getString("row")));
        assertThat(rows).noneMatch(row -> row.contains("order:42") || row.contains(ORDER.hex()));
    }

    @Test
    void the_same_key_of_another_member_or_mesh_is_free() {
        AcceptClaim first = accepting("order:42", ORDER);
        accept(first);
        cover(first);
        remove(first);

        for (Scope other : List.of(
                new Scope(first.key().scope().mesh(), "other"),
                new Scope("other", first.key().scope().member()))) {
            ScopedKey same = new ScopedKey(other, first.key().key());
            assertThat(accept(new AcceptClaim(same, ORDER, TestKeys.WORKFLOW, TestKeys.id())))
                    .isInstanceOf(Accept.Fresh.class);
        }
    }

    @Test
    void an_erased_key_is_free_when_it_has_expired() {
        AcceptClaim first = accepting("order:42", ORDER);
        accept(first);
        cover(first);
        remove(first);
        TestKeys.expireEverything(database);

        assertThat(new KeySweeper(database, KeyNeeds.NONE, CrashPoints.NONE).sweep(1))
                .isEqualTo(1);
        assertThat(accept(accepting("order:42", ORDER))).isInstanceOf(Accept.Fresh.class);
    }

    @Test
    void a_key_of_another_job_is_not_covered() {
        AcceptClaim first = accepting("order:42", ORDER);
        accept(first);
        database.transact("cover", tx -> {
            erasedKeys.cover(tx, first.key(), UUID.randomUUID());
            return null;
        });

        remove(first);
        assertThat(keysInTable(database)).containsExactly("order:42");
    }

    /** Otherwise a statement that began before the hash was there could bind the key when its text is gone. */
    @Test
    void the_text_stays_until_every_transaction_that_may_bind_it_has_ended() throws Exception {
        AcceptClaim first = accepting("order:42", ORDER);
        accept(first);
        Gate gate = new Gate("the transaction that binds keys");
        CompletableFuture<Accept> other = CompletableFuture.supplyAsync(() -> database.transact("bind slowly", tx -> {
            acceptKeys.accept(tx, List.of(accepting("another", ORDER)));
            gate.pass();
            return acceptKeys.accept(tx, List.of(accepting("order:42", ORDER))).getFirst();
        }));
        gate.awaitArrival();
        cover(first);

        assertThat(remove(first)).isFalse();
        assertThat(keysInTable(database)).contains("order:42");
        gate.open();
        assertThat(other.get()).isInstanceOf(Accept.Replayed.class);
        assertThat(remove(first)).isTrue();
        assertThat(keysInTable(database)).doesNotContain("order:42").contains("another");
    }
}
