package dev.tallystick.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.testkit.TestPostgres;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Batches that come to nothing, and what becomes of their items. */
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
    void an_item_that_is_refused_in_company_is_tried_alone_before_it_fails() {
        List<Boolean> alone = new CopyOnWriteArrayList<>();
        try (GroupCommitter committer = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT)) {
            assertThat(committer.submit(new Shy(alone), "k").join()).isEqualTo("alone");
        }
        assertThat(alone).containsExactly(false, true);
    }

    @Test
    void a_batch_for_which_there_is_no_memory_is_unknown_and_the_next_one_commits() {
        AtomicInteger batches = new AtomicInteger();
        Primitive<Deposit.Item, Integer> hungry = new Primitive<>() {

            @Override
            public String name() {
                return "hungry";
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
                if (batches.incrementAndGet() == 1) {
                    throw new OutOfMemoryError("planted");
                }
                return deposit.apply(tx, items);
            }
        };
        try (GroupCommitter committer = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT)) {
            assertThatThrownBy(() -> committer.submit(hungry, ITEM).join())
                    .hasCauseInstanceOf(UnknownOutcomeException.class);
            assertThat(committer.submit(hungry, ITEM).join()).isEqualTo(1);
        }
    }

    /** In company it writes a row that is there already. */
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
