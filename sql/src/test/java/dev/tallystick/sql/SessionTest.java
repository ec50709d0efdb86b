package dev.tallystick.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tallystick.sql.DefiniteFailureException.Reason;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** R26: a session does what we need, whatever the database and the pool have set. */
class SessionTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    private static final String ISOLATION = "select current_setting('transaction_isolation') as is";
    private static final String SETTINGS = """
            select concat_ws(' ', current_setting('statement_timeout'), current_setting('lock_timeout'),
                current_setting('transaction_isolation'), current_setting('synchronous_commit'), current_setting('enable_hashjoin'),
                current_setting('idle_in_transaction_session_timeout')) as is
            """;

    private static final String SYNCHRONOUS = "select current_setting('synchronous_commit') as is";

    @Test
    void r26_a_transaction_is_read_committed_regardless_of_the_database_default() throws Exception {
        alterDatabase("default_transaction_isolation = 'repeatable read'");
        Database database = Database.on(postgres.dataSource());

        assertThat(answer(database, ISOLATION)).isEqualTo("read committed");
        try (GroupCommitter committer = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT)) {
            assertThat(committer.submit(new Asking(ISOLATION), "").join()).isEqualTo("read committed");
        }
    }

    @Test
    void r26_a_transaction_is_read_committed_regardless_of_the_pool_default() {
        HikariConfig config = pool();
        config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
        config.setReadOnly(true);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            Database database = Database.on(pool);
            assertThat(answer(database, ISOLATION)).isEqualTo("read committed");
            database.transact("write", tx -> tx.update("create table t (n int)"));
        }
    }

    @Test
    void r26_a_pool_gets_its_connections_back_as_it_had_them() throws Exception {
        HikariConfig config = pool();
        config.setMaximumPoolSize(1);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            String settings = "select string_agg(name || '=' || setting, ' ' order by name) as is from pg_settings";
            String before = ask(pool, settings);
            Database database = Database.on(pool);
            database.transact("nothing", tx -> tx.query("select 1", row -> 1));
            try (GroupCommitter committer = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT)) {
                committer.submit(new Asking(ISOLATION), "").join();
            }
            assertThat(ask(pool, settings)).isEqualTo(before);
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.getNetworkTimeout()).isZero();
                assertThat(connection.getAutoCommit()).isTrue();
            }
        }
    }

    @Test
    void r26_a_pool_without_auto_commit_wakes_other_processes() throws Exception {
        HikariConfig config = pool();
        config.setAutoCommit(false);
        AtomicInteger woken = new AtomicInteger();
        try (HikariDataSource pool = new HikariDataSource(config);
                Wakeups here = new Wakeups(Database.on(pool), "test_wake", "here", () -> {});
                Wakeups there = new Wakeups(Database.on(pool), "test_wake", "there", woken::incrementAndGet)) {
            assertThat(there).isNotNull();
            Eventually.holds("the other one is woken", () -> {
                here.ring();
                return woken.get() > 0;
            });
            assertThat(ask(postgres.unpooled(), """
                    select count(*)::text as is
                    from pg_stat_activity
                    where datname = current_database() and state = 'idle in transaction'
                    """)).isEqualTo("0");
        }
    }

    @Test
    void r26_a_commit_waits_for_the_disk_although_the_database_was_changed_later() throws Exception {
        Database database = Database.on(postgres.unpooled());
        alterDatabase("synchronous_commit = off");

        assertThat(answer(database, SYNCHRONOUS)).isEqualTo("on");
        try (GroupCommitter committer = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT)) {
            assertThat(committer.submit(new Asking(SYNCHRONOUS), "").join()).isEqualTo("on");
        }
    }

    @Test
    void r26_a_commit_waits_for_the_disk_although_user_code_set_its_session_otherwise() {
        HikariConfig config = pool();
        config.setMaximumPoolSize(1);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            Database database = Database.on(pool);
            String atCommit = database.transact("user code", SessionLimits.USERS, tx -> {
                tx.update("set synchronous_commit = off");
                tx.withoutUsers();
                return tx.first(SYNCHRONOUS, row -> row.getString("is")).orElseThrow();
            });

            assertThat(atCommit).isEqualTo("on");
            assertThat(answer(database, SYNCHRONOUS)).isEqualTo("on");
        }
    }

    @Test
    void batches_leave_a_session_as_they_found_it() throws Exception {
        HikariConfig config = pool();
        config.setMaximumPoolSize(1);
        config.setConnectionInitSql(
                "set statement_timeout = 12345; set lock_timeout = 23456;"
                        + " set default_transaction_isolation = 'serializable'; set synchronous_commit = off; set enable_hashjoin = on");
        try (HikariDataSource pool = new HikariDataSource(config)) {
            Database database = Database.on(pool);
            String before = ask(pool, SETTINGS);
            try (GroupCommitter committer = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT)) {
                for (int batch = 0; batch < 3; batch++) {
                    assertThat(committer.submit(new Asking(SETTINGS), "").join())
                            .isEqualTo("30s 25ms read committed on off 5s");
                }
            }
            assertThat(ask(pool, SETTINGS)).isEqualTo(before).startsWith("12345ms 23456ms serializable off on");
        }
    }

    @Test
    void r26_a_commit_that_waits_for_more_than_the_disk_still_does() throws Exception {
        alterDatabase("synchronous_commit = remote_apply");

        assertThat(answer(Database.on(postgres.unpooled()), SYNCHRONOUS)).isEqualTo("remote_apply");
    }

    @Test
    void a_session_that_cannot_write_is_left_and_a_new_one_writes() throws Exception {
        HikariConfig config = pool();
        config.setMaximumPoolSize(1);
        alterDatabase("default_transaction_read_only = on");
        try (HikariDataSource pool = new HikariDataSource(config)) {
            Database database = Database.on(pool);
            alterDatabase("default_transaction_read_only = off");
            assertThatThrownBy(() -> database.transact("write", tx -> tx.update("create table t (n int)")))
                    .isInstanceOfSatisfying(
                            DefiniteFailureException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
            database.transact("write", tx -> tx.update("create table t (n int)"));
        }
    }

    @Test
    void a_lane_leaves_a_session_that_cannot_write() throws Exception {
        Database.on(postgres.dataSource()).transact("create", tx -> tx.update("create table t (n int)"));
        alterDatabase("default_transaction_read_only = on");
        Database database = Database.on(postgres.unpooled());
        try (GroupCommitter committer = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT)) {
            assertThatThrownBy(() -> committer.submit(new Writing(), 1).join())
                    .cause()
                    .isInstanceOfSatisfying(
                            DefiniteFailureException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
            alterDatabase("default_transaction_read_only = off");
            assertThat(committer.submit(new Writing(), 2).join()).isEqualTo(2);
        }
    }

    @Test
    void a_session_that_was_frozen_in_a_transaction_loses_it_and_its_locks() throws Exception {
        Database database = Database.on(postgres.unpooled());
        database.transact("create", tx -> tx.update("create table t (n int)"));
        assertThatThrownBy(() -> database.transact(
                        "freeze", new SessionLimits(SessionLimits.OWN.statement(), Duration.ofMillis(50)), tx -> {
                            tx.update("lock table t");
                            assertThat(ask(postgres.unpooled(), "lock table t; select 'free' as is"))
                                    .isEqualTo("free");
                            return tx.update("insert into t values (1)");
                        }))
                .isInstanceOfSatisfying(
                        DefiniteFailureException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
    }

    private static String answer(Database database, String question) {
        return database.transact(
                "ask", tx -> tx.first(question, row -> row.getString("is")).orElseThrow());
    }

    private static HikariConfig pool() {
        HikariConfig config = new HikariConfig();
        config.setDataSource(postgres.unpooled());
        config.setMaximumPoolSize(8);
        return config;
    }

    private static void alterDatabase(String setting) throws SQLException {
        try (Connection connection = postgres.unpooled().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("set default_transaction_read_only = off");
            statement.execute("alter database " + connection.getCatalog() + " set " + setting);
        }
    }

    private static String ask(DataSource source, String question) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            String answer = Tx.joined(connection, new Statements(SchemaName.DEFAULT))
                    .first(question, row -> row.getString("is"))
                    .orElseThrow();
            connection.rollback();
            connection.setAutoCommit(true);
            return answer;
        }
    }

    /** Answers what its transaction says to a question. */
    private static final class Asking implements Primitive<String, String> {

        private final String question;

        Asking(String question) {
            this.question = question;
        }

        @Override
        public String name() {
            return "ask";
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
            return List.copyOf(tx.query(question, row -> row.getString("is")));
        }
    }

    /** Writes its items. */
    private static final class Writing implements Primitive<Integer, Integer> {

        @Override
        public String name() {
            return "write";
        }

        @Override
        public int rank() {
            return 0;
        }

        @Override
        public Object orderKey(Integer item) {
            return item;
        }

        @Override
        public List<@Nullable Integer> apply(Tx tx, List<Integer> items) throws SQLException {
            for (Integer item : items) {
                tx.update("insert into t values (?)", item);
            }
            return List.copyOf(items);
        }
    }
}
