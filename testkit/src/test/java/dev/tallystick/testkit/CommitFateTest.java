package dev.tallystick.testkit;

import static dev.tallystick.testkit.CommitFate.CUT_BEFORE;
import static dev.tallystick.testkit.CommitFate.FORWARD;
import static dev.tallystick.testkit.CommitFate.HOLD;
import static dev.tallystick.testkit.CommitFate.LOSE_REPLY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;

@ExtendWith(Seeded.class)
class CommitFateTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perClass();

    private final TcpProxy proxy = postgres.proxy();

    @BeforeAll
    static void createTables() throws SQLException {
        execute("create table entry (key text primary key deferrable initially deferred)");
        execute("create table other (key text)");
    }

    @BeforeEach
    void emptyTables() throws SQLException {
        execute("truncate entry, other");
    }

    @AfterEach
    void close() {
        proxy.close();
    }

    /** The ways in which the driver sends a COMMIT. */
    enum Protocol {
        PREPARED_ON_REUSE(""),
        NEVER_PREPARED("&prepareThreshold=0"),
        PREPARED_AT_ONCE("&prepareThreshold=1"),
        SIMPLE("&preferQueryMode=simple"),
        EXTENDED_FOR_PREPARED("&preferQueryMode=extendedForPrepared"),
        EVERYTHING_CACHED("&preferQueryMode=extendedCacheEverything");

        final String option;

        Protocol(String option) {
            this.option = option;
        }

        Connection connect(TcpProxy proxy) throws SQLException {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(postgres.url(proxy) + "&ApplicationName=proxied" + option);
            Connection connection = source.getConnection();
            connection.setAutoCommit(false);
            return connection;
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_commit_whose_reply_is_lost_has_committed(Protocol protocol) throws SQLException {
        try (Connection connection = protocol.connect(proxy)) {
            commitRepeatedly(connection);
            proxy.onNextCommit(LOSE_REPLY);
            insert(connection, "lost reply");
            assertCommitFails(connection);
        }
        assertThat(proxy.commits(LOSE_REPLY)).isEqualTo(1);
        assertThat(entries()).contains("lost reply").hasSize(8);
    }

    @Test
    void the_driver_names_the_statement_with_which_it_commits() throws SQLException {
        try (Connection connection = Protocol.PREPARED_ON_REUSE.connect(proxy);
                Statement statement = connection.createStatement()) {
            commitRepeatedly(connection);
            String prepared = "select name from pg_prepared_statements where statement = 'COMMIT'";
            try (ResultSet names = statement.executeQuery(prepared)) {
                assertThat(names.next())
                        .as("otherwise these tests would not cover commits by name")
                        .isTrue();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_commit_that_was_cut_off_never_commits(Protocol protocol) throws SQLException {
        try (Connection connection = protocol.connect(proxy)) {
            commitRepeatedly(connection);
            proxy.onNextCommit(CUT_BEFORE);
            insert(connection, "cut");
            assertCommitFails(connection);
        }
        assertThat(proxy.commits(CUT_BEFORE)).isEqualTo(1);
        awaitEndOfSessions();
        assertThat(entries()).doesNotContain("cut").hasSize(7);
    }

    @ParameterizedTest
    @EnumSource
    void a_held_commit_commits_when_it_is_released(Protocol protocol) throws SQLException {
        try (Connection connection = protocol.connect(proxy)) {
            commitRepeatedly(connection);
            proxy.onNextCommit(HOLD);
            insert(connection, "held");
            assertCommitFails(connection);
        }
        proxy.cut();
        assertThat(entries()).doesNotContain("held");
        assertThat(proxy.held()).hasSize(1);
        assertThat(proxy.held().getFirst().release()).isTrue();
        assertThat(entries()).contains("held").hasSize(8);
        assertThat(proxy.held().getFirst().release())
                .as("released twice, answered once")
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void a_held_commit_that_is_dropped_never_commits(Protocol protocol) throws SQLException {
        try (Connection connection = protocol.connect(proxy)) {
            proxy.onNextCommit(HOLD);
            insert(connection, "held");
            assertCommitFails(connection);
        }
        proxy.held().getFirst().drop();
        awaitEndOfSessions();
        assertThat(proxy.held().getFirst().release()).isFalse();
        assertThat(entries()).isEmpty();
    }

    @Test
    void a_held_commit_keeps_its_locks() throws SQLException {
        try (Connection connection = Protocol.PREPARED_ON_REUSE.connect(proxy)) {
            proxy.onNextCommit(HOLD);
            execute(connection, "lock table entry");
            assertCommitFails(connection);
        }
        try (Connection direct = postgres.unpooled().getConnection()) {
            direct.setAutoCommit(false);
            assertThatThrownBy(() -> execute(direct, "lock table entry nowait"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("55P03"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_commit_in_one_batch_with_its_statements_is_found(Protocol protocol) throws SQLException {
        try (Connection connection = protocol.connect(proxy)) {
            proxy.onNextCommit(LOSE_REPLY);
            assertThatThrownBy(() -> execute(connection, "insert into entry values ('batched'); commit"));
        }
        assertThat(entries()).containsExactly("batched");
        try (Connection connection = protocol.connect(proxy)) {
            proxy.onNextCommit(CUT_BEFORE);
            assertThatThrownBy(() -> execute(connection, "insert into entry values ('cut'); commit"));
        }
        awaitEndOfSessions();
        assertThat(entries()).containsExactly("batched");
    }

    @Test
    void the_lost_reply_may_have_been_a_refusal() throws SQLException {
        try (Connection connection = Protocol.PREPARED_ON_REUSE.connect(proxy)) {
            insert(connection, "once");
            insert(connection, "once");
            proxy.onNextCommit(LOSE_REPLY);
            assertCommitFails(connection);
        }
        assertThat(proxy.commits(LOSE_REPLY)).isEqualTo(1);
        assertThat(entries()).isEmpty();
    }

    @Test
    void other_connections_do_not_notice() throws SQLException {
        try (Connection unlucky = Protocol.PREPARED_ON_REUSE.connect(proxy);
                Connection lucky = Protocol.PREPARED_ON_REUSE.connect(proxy)) {
            proxy.onNextCommit(LOSE_REPLY);
            insert(unlucky, "unlucky");
            assertCommitFails(unlucky);
            insert(lucky, "lucky");
            lucky.commit();
        }
        assertThat(entries()).containsExactlyInAnyOrder("unlucky", "lucky");
        assertThat(proxy.commits(FORWARD)).isEqualTo(1);
    }

    @Test
    void rollbacks_and_statements_that_speak_of_commits_pass() throws SQLException {
        proxy.onCommit(CommitPolicy.always(CUT_BEFORE));
        try (Connection connection = Protocol.PREPARED_ON_REUSE.connect(proxy)) {
            insert(connection, "commit");
            connection.rollback();
            insert(connection, "COMMIT;");
            connection.rollback();
        }
        assertThat(proxy.commits(CUT_BEFORE)).isZero();
    }

    @Test
    void a_commit_can_be_chosen_by_what_its_transaction_did() throws SQLException {
        proxy.onCommit(CommitPolicy.nextMentioning("into other", CUT_BEFORE));
        try (Connection connection = Protocol.PREPARED_ON_REUSE.connect(proxy)) {
            insert(connection, "one");
            connection.commit();
            insert(connection, "two");
            execute(connection, "insert into other values ('two')");
            assertCommitFails(connection);
        }
        assertThat(entries()).containsExactly("one");
    }

    @Test
    void every_nth_commit_meets_its_fate() throws SQLException {
        proxy.onCommit(CommitPolicy.everyNth(3, CUT_BEFORE));
        for (int i = 1; i <= 9; i++) {
            tryToCommit("" + i);
        }
        assertThat(entries()).containsExactlyInAnyOrder("1", "2", "4", "5", "7", "8");
    }

    @Test
    void random_fates_repeat_with_the_same_seed(Randomness random) throws SQLException {
        List<List<Boolean>> runs = new ArrayList<>();
        for (int run = 0; run < 2; run++) {
            proxy.onCommit(CommitPolicy.withProbability(0.5, LOSE_REPLY, Randomness.ofSeed(random.seed())));
            List<Boolean> outcomes = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                outcomes.add(tryToCommit(run + "/" + i));
            }
            runs.add(outcomes);
        }
        assertThat(runs.getFirst()).isEqualTo(runs.getLast());
        assertThat(entries()).hasSize(40);
    }

    @Test
    void a_policy_that_fails_does_not_leave_its_client_waiting() throws SQLException {
        AtomicInteger asked = new AtomicInteger();
        proxy.onCommit(commit -> {
            asked.incrementAndGet();
            throw new IllegalStateException("planted");
        });
        try (Connection connection = Protocol.PREPARED_ON_REUSE.connect(proxy)) {
            insert(connection, "a");
            assertCommitFails(connection);
        }
        assertThat(asked).hasValue(1);
    }

    @Test
    void closing_the_proxy_drops_held_commits() throws SQLException {
        try (Connection connection = Protocol.PREPARED_ON_REUSE.connect(proxy)) {
            proxy.onNextCommit(HOLD);
            insert(connection, "held");
            assertCommitFails(connection);
        }
        proxy.close();
        awaitEndOfSessions();
        assertThatCode(proxy::close).doesNotThrowAnyException();
        assertThat(entries()).isEmpty();
    }

    /** Often enough for the driver to switch to prepared statements. */
    private static void commitRepeatedly(Connection connection) throws SQLException {
        for (int i = 0; i < 7; i++) {
            insert(connection, "warm-up " + i);
            connection.commit();
        }
    }

    private boolean tryToCommit(String key) throws SQLException {
        try (Connection connection = Protocol.PREPARED_ON_REUSE.connect(proxy)) {
            insert(connection, key);
            try {
                connection.commit();
                return true;
            } catch (SQLException lost) {
                return false;
            }
        }
    }

    private static void insert(Connection connection, String key) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("insert into entry (key) values (?)")) {
            insert.setString(1, key);
            insert.executeUpdate();
        }
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = postgres.dataSource().getConnection()) {
            execute(connection, sql);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void assertCommitFails(Connection connection) {
        assertThatThrownBy(connection::commit)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).startsWith("08"));
    }

    /** Wait until it is settled what an ended session did. */
    private static void awaitEndOfSessions() {
        String others = """
            select count(*)::text
            from pg_stat_activity
            where datname = current_database() and application_name = 'proxied'
            """;
        Eventually.value("the sessions of the test to end", () -> query(others), List.of("0")::equals);
    }

    private static List<String> entries() throws SQLException {
        return query("select key from entry");
    }

    private static List<String> query(String sql) throws SQLException {
        try (Connection connection = postgres.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        }
    }
}
