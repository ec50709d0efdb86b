package dev.tallystick.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tallystick.sql.DefiniteFailureException.Reason;
import dev.tallystick.testkit.CommitFate;
import dev.tallystick.testkit.TcpProxy;
import dev.tallystick.testkit.TestPostgres;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A statement that shares its round trip with COMMIT. */
class LastStatementTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    private Database database;

    @BeforeEach
    void open() {
        database = Database.on(postgres.dataSource());
        EffectStore.create(database);
    }

    @Test
    void is_committed_with_everything_before_it() {
        database.transact("insert", tx -> {
            EffectStore.insert("a").run(tx);
            return EffectStore.insertLater("b").run(tx);
        });

        assertThat(EffectStore.keys(database)).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void is_read_after_the_commit() {
        List<String> read = new ArrayList<>();
        List<String> before = database.transact("insert", tx -> {
            EffectStore.insertLater("a", read).run(tx);
            return List.copyOf(read);
        });

        assertThat(before).isEmpty();
        assertThat(read).containsExactly("a");
    }

    @Test
    void runs_before_a_later_statement() {
        List<String> seen = database.transact("insert and read", tx -> {
            EffectStore.insertLater("a").run(tx);
            EffectStore.insertLater("b").run(tx);
            return EffectStore.keys(tx);
        });

        assertThat(seen).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void runs_at_once_in_a_transaction_that_the_caller_ends() throws Exception {
        try (Connection connection = postgres.unpooled().getConnection()) {
            connection.setAutoCommit(false);
            EffectStore.insertLater("a").run(database.join(connection));
            connection.commit();
        }

        assertThat(EffectStore.keys(database)).containsExactly("a");
    }

    @Test
    void that_is_refused_is_a_definite_failure_and_rolls_everything_back() {
        database.transact("insert", EffectStore.insert("a"));

        DefiniteFailureException failure = catchThrowableOfType(
                DefiniteFailureException.class,
                () -> database.transact("insert again", tx -> {
                    EffectStore.insert("b").run(tx);
                    return EffectStore.insertLater("a").run(tx);
                }));

        assertThat(failure.reason()).isEqualTo(Reason.REFUSED);
        assertThat(failure).hasMessageContaining("'insert again' was rolled back");
        assertThat(EffectStore.keys(database)).containsExactly("a");
    }

    @Test
    void is_dropped_when_the_work_throws() {
        assertThatThrownBy(() -> database.transact("insert and throw", tx -> {
                    EffectStore.insertLater("a").run(tx);
                    throw new IllegalStateException("changed my mind");
                }))
                .isInstanceOf(IllegalStateException.class);

        assertThat(EffectStore.keys(database)).isEmpty();
    }

    @Test
    void whose_reply_is_lost_is_unknown_although_it_happened() {
        try (TcpProxy proxy = postgres.proxy()) {
            Database cutOff = Database.on(postgres.proxied(proxy));
            proxy.onNextCommit(CommitFate.LOSE_REPLY);

            assertThatThrownBy(() -> cutOff.transact("insert", EffectStore.insertLater("a")))
                    .isInstanceOf(UnknownOutcomeException.class);

            assertThat(EffectStore.keys(database)).containsExactly("a");
        }
    }

    @Test
    void that_never_arrives_is_unknown_although_it_did_not_happen() {
        try (TcpProxy proxy = postgres.proxy()) {
            Database cutOff = Database.on(postgres.proxied(proxy));
            proxy.onNextCommit(CommitFate.CUT_BEFORE);

            assertThatThrownBy(() -> cutOff.transact("insert", EffectStore.insertLater("a")))
                    .isInstanceOf(UnknownOutcomeException.class);

            assertThat(EffectStore.keys(database)).isEmpty();
        }
    }
}
