package dev.tallystick.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;

/** Faults of whole connections; for COMMITs see {@link CommitFateTest}. */
class TcpProxyTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perClass();

    private final TcpProxy proxy = postgres.proxy();

    @AfterEach
    void close() {
        proxy.close();
    }

    @Test
    void requests_and_replies_pass_unchanged() throws SQLException {
        try (Connection connection = connect()) {
            assertThat(ask(connection, "select 6 * 7")).isEqualTo("42");
            assertThat(proxy.openConnections()).isEqualTo(1);
        }
        Eventually.value("the connection to end", proxy::openConnections, open -> open == 0);
    }

    @Test
    void megabytes_pass_both_ways() throws SQLException {
        String large = "tally ".repeat(1_000_000);
        try (Connection connection = connect();
                PreparedStatement echo = connection.prepareStatement("select ? from generate_series(1, 3)")) {
            echo.setString(1, large);
            try (ResultSet rows = echo.executeQuery()) {
                for (int row = 0; row < 3; row++) {
                    rows.next();
                    assertThat(rows.getString(1).equals(large)).isTrue();
                }
            }
        }
    }

    @Test
    void a_client_that_asks_for_encryption_is_refused_it() throws SQLException {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(postgres.url(proxy).replace("disable", "prefer"));
        try (Connection connection = source.getConnection()) {
            assertThat(ask(connection, "select 1")).isEqualTo("1");
        }
    }

    @Test
    void a_cancel_request_passes() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            String session = ask(connection, "select pg_backend_pid()");
            CompletableFuture<Boolean> running = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return statement.execute("select pg_sleep(600)");
                        } catch (SQLException e) {
                            throw new IllegalStateException(e.getSQLState());
                        }
                    },
                    Executors.newVirtualThreadPerTaskExecutor());
            Eventually.holds("the query to run", () -> isActive(session));
            statement.cancel();
            assertThatThrownBy(running::join).hasRootCauseMessage("57014");
        }
    }

    @Test
    void a_cut_ends_every_connection_and_lets_new_ones_in() throws SQLException {
        try (Connection one = connect();
                Connection other = connect()) {
            proxy.cut();
            assertBroken(one);
            assertBroken(other);
        }
        try (Connection later = connect()) {
            assertThat(ask(later, "select 1")).isEqualTo("1");
        }
    }

    @Test
    void the_server_notices_a_cut_too() throws SQLException {
        String session = ask(connect(), "select pg_backend_pid()");
        proxy.cut();
        Eventually.holds("the session to end", () -> !exists(session));
    }

    @Test
    void while_it_refuses_only_old_connections_live() throws SQLException {
        try (Connection old = connect()) {
            proxy.refuse();
            assertThatThrownBy(this::connect).satisfies(TcpProxyTest::isConnectionFailure);
            assertThat(ask(old, "select 1")).isEqualTo("1");
            proxy.pass();
            connect().close();
        }
    }

    @Test
    void in_a_black_hole_nothing_fails_and_nothing_arrives() throws SQLException {
        try (Connection connection = connect()) {
            proxy.blackHole();
            connection.setNetworkTimeout(Runnable::run, 100);
            assertThatThrownBy(() -> ask(connection, "select 1")).satisfies(TcpProxyTest::isConnectionFailure);
        }
    }

    @Test
    void an_abandoned_connection_carries_nothing_more_and_a_new_one_does() throws SQLException {
        try (Connection connection = connect()) {
            proxy.abandon();
            proxy.pass();
            connection.setNetworkTimeout(Runnable::run, 100);
            assertThatThrownBy(() -> ask(connection, "select 1")).satisfies(TcpProxyTest::isConnectionFailure);
        }
        try (Connection later = connect()) {
            assertThat(ask(later, "select 1")).isEqualTo("1");
        }
    }

    @Test
    void bytes_kept_by_a_black_hole_arrive_when_it_is_gone() throws SQLException {
        try (Connection connection = connect()) {
            proxy.blackHole();
            CompletableFuture<String> answer = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return ask(connection, "select 'late'");
                        } catch (SQLException e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    Executors.newVirtualThreadPerTaskExecutor());
            assertThat(answer).isNotDone();
            proxy.pass();
            assertThat(answer).succeedsWithin(Patience.limit()).isEqualTo("late");
        }
    }

    @Test
    void a_black_hole_hides_that_the_client_has_gone() throws SQLException {
        String session;
        try (Connection connection = connect()) {
            session = ask(connection, "select pg_backend_pid()");
            proxy.blackHole();
        }
        assertThat(exists(session)).isTrue();
        proxy.pass();
        Eventually.holds("the session to end", () -> !exists(session));
    }

    @Test
    void a_delay_holds_requests_and_answers_up() throws SQLException {
        try (Connection connection = connect()) {
            proxy.delay(Duration.ofMillis(50));
            long start = System.nanoTime();
            ask(connection, "select 1");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(100));
        }
    }

    @Test
    void a_server_that_is_down_resets_the_client() {
        int closedPort = proxy.port();
        proxy.close();
        try (TcpProxy toNowhere = TcpProxy.to(new InetSocketAddress(proxy.host(), closedPort))) {
            assertThatThrownBy(() -> postgres.proxied(toNowhere).getConnection())
                    .satisfies(TcpProxyTest::isConnectionFailure);
        }
    }

    private Connection connect() throws SQLException {
        return postgres.proxied(proxy).getConnection();
    }

    private static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private static boolean isActive(String session) throws SQLException {
        return count(session + " and state = 'active' and query like '%pg_sleep%'") == 1;
    }

    private static boolean exists(String session) throws SQLException {
        return count(session) == 1;
    }

    private static int count(String session) throws SQLException {
        try (Connection direct = postgres.dataSource().getConnection()) {
            return Integer.parseInt(ask(direct, "select count(*) from pg_stat_activity where pid = " + session));
        }
    }

    private static void assertBroken(Connection connection) {
        assertThatThrownBy(() -> ask(connection, "select 1")).satisfies(TcpProxyTest::isConnectionFailure);
    }

    private static void isConnectionFailure(Throwable failure) {
        assertThat(failure)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).startsWith("08"));
    }
}
