package dev.tallystick.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.sql.DefiniteFailureException.Reason;
import dev.tallystick.testkit.CommitFate;
import dev.tallystick.testkit.CrashAt;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.SimulatedCrash;
import dev.tallystick.testkit.TcpProxy;
import dev.tallystick.testkit.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    private Database database;

    @BeforeEach
    void open() {
        database = Database.on(postgres.dataSource());
        EffectStore.create(database);
    }

    @Test
    void the_writes_of_a_transaction_are_visible_once_it_returns() {
        database.transact("insert", EffectStore.insert("a"));

        assertThat(EffectStore.keys(database)).containsExactly("a");
    }

    @Test
    void nothing_is_written_when_the_work_throws() {
        assertThatThrownBy(() -> database.transact("insert and throw", tx -> {
                    EffectStore.insert("a").run(tx);
                    throw new IllegalStateException("changed my mind");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("changed my mind");

        assertThat(EffectStore.keys(database)).isEmpty();
    }

    @Test
    void a_refused_statement_is_a_definite_failure_that_names_the_transaction() {
        database.transact("insert", EffectStore.insert("a"));

        DefiniteFailureException failure = catchThrowableOfType(
                DefiniteFailureException.class, () -> database.transact("insert again", EffectStore.insert("a")));

        assertThat(failure.reason()).isEqualTo(Reason.REFUSED);
        assertThat(failure).hasMessageContaining("'insert again' was rolled back");
    }

    @Test
    void two_transactions_that_deadlock_both_succeed_in_the_end() throws Exception {
        database.transact("insert", EffectStore.insert("a"));
        database.transact("insert", EffectStore.insert("b"));
        CyclicBarrier bothHoldOne = new CyclicBarrier(2);

        try (ExecutorService rivals = Executors.newFixedThreadPool(2)) {
            Future<?> one = rivals.submit(() -> raiseBoth("a", "b", bothHoldOne));
            Future<?> other = rivals.submit(() -> raiseBoth("b", "a", bothHoldOne));
            one.get();
            other.get();
        }

        int sum = database.transact(
                "sum",
                tx -> tx.first("select sum(amount) as sum from effect", row -> row.getInt("sum"))
                        .orElseThrow());
        assertThat(sum).isEqualTo(6);
    }

    private void raiseBoth(String first, String second, CyclicBarrier bothHoldOne) {
        boolean[] met = new boolean[1];
        database.transact("raise both", tx -> {
            raise(tx, first);
            if (!met[0]) {
                met[0] = true;
                await(bothHoldOne);
            }
            raise(tx, second);
            return null;
        });
    }

    private static void raise(Tx tx, String key) throws SQLException {
        tx.update("update effect set amount = amount + 1 where key = ?", key);
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_connection_that_breaks_before_commit_is_a_definite_failure() {
        try (TcpProxy proxy = postgres.proxy()) {
            Database cutOff = Database.on(postgres.proxied(proxy));

            DefiniteFailureException failure = catchThrowableOfType(
                    DefiniteFailureException.class,
                    () -> cutOff.transact("insert, cut", tx -> {
                        EffectStore.insert("a").run(tx);
                        proxy.cut();
                        return EffectStore.insert("b").run(tx);
                    }));

            assertThat(failure.reason()).isEqualTo(Reason.UNAVAILABLE);
            assertThat(EffectStore.keys(database)).isEmpty();
        }
    }

    @Test
    void a_server_that_cannot_be_reached_is_a_definite_failure() {
        try (TcpProxy proxy = postgres.proxy()) {
            Database cutOff = Database.on(postgres.proxied(proxy));
            proxy.refuse();

            DefiniteFailureException failure = catchThrowableOfType(
                    DefiniteFailureException.class, () -> cutOff.transact("insert", EffectStore.insert("a")));

            assertThat(failure.reason()).isEqualTo(Reason.UNAVAILABLE);
        }
    }

    @Test
    void a_commit_whose_reply_is_lost_is_unknown_although_it_happened() {
        try (TcpProxy proxy = postgres.proxy()) {
            Database cutOff = Database.on(postgres.proxied(proxy));
            proxy.onNextCommit(CommitFate.LOSE_REPLY);

            assertThatThrownBy(() -> cutOff.transact("insert", EffectStore.insert("a")))
                    .isInstanceOf(UnknownOutcomeException.class);

            assertThat(EffectStore.keys(database)).containsExactly("a");
        }
    }

    @Test
    void a_read_whose_reply_is_lost_is_answered_by_another_session() {
        database.transact("insert", EffectStore.insert("a"));
        try (TcpProxy proxy = postgres.proxy()) {
            Database cutOff = Database.on(postgres.proxied(proxy));
            proxy.onNextCommit(CommitFate.LOSE_REPLY);

            List<String> keys = cutOff.read("read keys", EffectStore::keys);

            assertThat(keys).containsExactly("a");
        }
    }

    @Test
    void a_read_whose_session_was_ended_while_it_paused_is_answered_by_another_session() {
        AtomicInteger runs = new AtomicInteger();

        int answer = database.read("read slowly", tx -> {
            if (runs.incrementAndGet() == 1) {
                int session = tx.first(
                                "select pg_backend_pid(), set_config('idle_in_transaction_session_timeout', '1', true)",
                                row -> row.getInt(1))
                        .orElseThrow();
                Eventually.holds("the session is ended", () -> isEnded(session));
            }
            return tx.first("select 42 as answer", row -> row.getInt("answer")).orElseThrow();
        });

        assertThat(answer).isEqualTo(42);
        assertThat(runs).hasValue(2);
    }

    private boolean isEnded(int session) {
        return database.read(
                        "look for a session",
                        tx -> tx.first("select from pg_stat_activity where pid = ?", row -> true, session))
                .isEmpty();
    }

    @Test
    void a_read_that_is_never_answered_is_not_unknown() {
        try (TcpProxy proxy = postgres.proxy()) {
            Database cutOff = Database.on(postgres.proxied(proxy));

            DefiniteFailureException failure = catchThrowableOfType(
                    DefiniteFailureException.class,
                    () -> cutOff.read("read keys", tx -> {
                        proxy.onNextCommit(CommitFate.LOSE_REPLY);
                        return EffectStore.keys(tx);
                    }));

            assertThat(failure.reason()).isEqualTo(Reason.UNAVAILABLE);
        }
    }

    @Test
    void a_transaction_that_only_reads_cannot_write() {
        assertThatThrownBy(() -> database.read("insert", EffectStore.insert("a")))
                .isInstanceOf(DefiniteFailureException.class)
                .hasStackTraceContaining("read-only");

        assertThat(EffectStore.keys(database)).isEmpty();
    }

    @Test
    void a_commit_that_never_arrives_is_unknown_although_it_did_not_happen() {
        try (TcpProxy proxy = postgres.proxy()) {
            Database cutOff = Database.on(postgres.proxied(proxy));
            proxy.onNextCommit(CommitFate.CUT_BEFORE);

            assertThatThrownBy(() -> cutOff.transact("insert", EffectStore.insert("a")))
                    .isInstanceOf(UnknownOutcomeException.class);

            assertThat(EffectStore.keys(database)).isEmpty();
        }
    }

    @Test
    void a_commit_that_the_server_refuses_is_a_definite_failure() {
        database.transact("defer", tx -> {
            tx.update("create table deferred (id int primary key, other int references deferred deferrable initially"
                    + " deferred)");
            return null;
        });

        DefiniteFailureException failure = catchThrowableOfType(
                DefiniteFailureException.class,
                () -> database.transact("dangle", tx -> tx.update("insert into deferred (id, other) values (1, 2)")));

        assertThat(failure.reason()).isEqualTo(Reason.REFUSED);
    }

    @Test
    void a_transaction_that_failed_unnoticed_is_not_reported_as_committed() {
        assertThatThrownBy(() -> database.transact("swallow", tx -> {
                    EffectStore.insert("a").run(tx);
                    try {
                        tx.update("select 1/0");
                    } catch (SQLException swallowed) {
                        return null;
                    }
                    return null;
                }))
                .isInstanceOf(DefiniteFailureException.class);

        assertThat(EffectStore.keys(database)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"synchronous_commit"})
    void a_database_that_is_not_durable_is_refused_and_the_setting_named(String setting) throws SQLException {
        try (Connection connection = postgres.unpooled().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("do $$ begin execute format('alter database %I set " + setting
                    + " = off', current_database()); end $$");
        }

        assertThatThrownBy(() -> Database.on(postgres.unpooled()))
                .isInstanceOf(NotDurableException.class)
                .hasMessageContaining(setting + " = on");
    }

    @Test
    void a_process_that_dies_before_commit_leaves_nothing() {
        Database dying = Database.on(postgres.unpooled(), RandomGenerator.getDefault(), CrashPoints.NONE);
        assertThat(EffectStore.keys(dying)).isEmpty();
        CrashAt crash = CrashAt.nth(SqlCrashPoint.BEFORE_COMMIT, 2);
        Database crashing = Database.on(postgres.unpooled(), RandomGenerator.getDefault(), crash);

        assertThatThrownBy(() -> crashing.transact("insert", EffectStore.insert("a")))
                .isInstanceOf(SimulatedCrash.class);

        assertThat(EffectStore.keys(database)).isEmpty();
    }

    @Test
    void a_process_that_dies_after_commit_has_committed() {
        CrashAt crash = CrashAt.nth(SqlCrashPoint.AFTER_COMMIT, 2);
        Database crashing = Database.on(postgres.unpooled(), RandomGenerator.getDefault(), crash);

        assertThatThrownBy(() -> crashing.transact("insert", EffectStore.insert("a")))
                .isInstanceOf(SimulatedCrash.class);

        assertThat(EffectStore.keys(database)).containsExactly("a");
    }
}
