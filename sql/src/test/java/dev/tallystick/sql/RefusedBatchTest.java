package dev.tallystick.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.sql.DefiniteFailureException.Reason;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOError;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Batches that fail, and the fate of their items. */
class RefusedBatchTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    private static final Deposit.Item ITEM = new Deposit.Item("k", "account-0");

    private final Deposit deposit = new Deposit();
    private Database database;

    @BeforeEach
    void open() {
        database = Database.on(postgres.dataSource());
        EffectStore.create(database);
        database.transact("open", tx -> tx.update("insert into account (id, balance) values ('account-0', 0)"));
    }

    @Test
    void an_item_that_is_refused_in_a_shared_batch_is_tried_alone_before_it_fails() {
        List<Boolean> alone = new CopyOnWriteArrayList<>();
        try (GroupCommitter committer = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT)) {
            assertThat(committer.submit(new Shy(alone), "k").join()).isEqualTo("alone");
        }
        assertThat(alone).containsExactly(false, true);
    }

    static List<Error> errors() {
        return List.of(
                new AssertionError("planted"),
                new NoClassDefFoundError("planted"),
                new OutOfMemoryError("planted"),
                new IOError(new IOException("planted")));
    }

    @ParameterizedTest
    @MethodSource("errors")
    void an_item_that_throws_an_error_fails_alone_and_definitely(Error error) {
        Primitive<Deposit.Item, Integer> careless = new Careless(deposit, error);
        try (GroupCommitter committer = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT)) {
            CompletableFuture<Integer> poisoned = committer.submit(careless, new Deposit.Item("poison", "account-1"));
            CompletableFuture<Integer> company = committer.submit(careless, ITEM);

            assertThat(company.join()).isEqualTo(1);
            assertThatThrownBy(poisoned::join)
                    .cause()
                    .isInstanceOfSatisfying(
                            DefiniteFailureException.class,
                            failure -> assertThat(failure.reason()).isEqualTo(Reason.REFUSED))
                    .hasRootCause(error.getCause() == null ? error : error.getCause());
            assertThat(committer
                            .submit(careless, new Deposit.Item("later", "account-0"))
                            .join())
                    .isEqualTo(2);
            assertThat(committer.counts().restarts()).isZero();
        }
    }

    /** Throws if it gets poison. */
    private record Careless(Deposit deposit, Error error) implements Primitive<Deposit.Item, Integer> {

        @Override
        public String name() {
            return "careless";
        }

        @Override
        public int rank() {
            return 0;
        }

        @Override
        public Object orderKey(Deposit.Item item) {
            return item.account();
        }

        @Override
        public List<@Nullable Integer> apply(Tx tx, List<Deposit.Item> items) throws SQLException {
            if (items.stream().anyMatch(item -> item.key().equals("poison"))) {
                throw error;
            }
            return deposit.apply(tx, items);
        }
    }

    /** In a shared batch it writes a row that already exists. */
    private record Shy(List<Boolean> alone) implements Primitive<String, String> {

        @Override
        public String name() {
            return "shy";
        }

        @Override
        public int rank() {
            return 0;
        }

        @Override
        public Object orderKey(String item) {
            return item;
        }

        @Override
        public List<@Nullable String> apply(Tx tx, List<String> items) throws SQLException {
            alone.add(tx.mayWait());
            if (!tx.mayWait()) {
                tx.update("insert into account (id, balance) values ('account-0', 0)");
            }
            return List.of("alone");
        }
    }
}
