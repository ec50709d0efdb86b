package dev.tallystick.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Starting, using and closing a server when nothing goes wrong, and clear errors when something does. */
@Timeout(120)
class EmbeddedPostgresTest {

    private Sandbox sandbox;

    @BeforeEach
    void openSandbox() throws IOException {
        sandbox = new Sandbox();
    }

    @AfterEach
    void closeSandbox() throws IOException {
        sandbox.close();
    }

    @Test
    void written_data_is_there_after_a_restart() throws SQLException, IOException {
        try (EmbeddedPostgres postgres =
                EmbeddedPostgres.at(sandbox.usedDirectory()).start()) {
            Sql.run(postgres.dataSource(), "create table kept as select 'yes' as answer");
        }
        assertThat(Server.anyIn(sandbox.layout().data())).isFalse();

        try (EmbeddedPostgres postgres =
                EmbeddedPostgres.at(sandbox.directory()).start()) {
            assertThat(postgres.adopted()).isFalse();
            assertThat(Sql.strings(postgres.dataSource(), "select answer from kept"))
                    .containsExactly("yes");
        }
    }

    @Test
    void a_temporary_server_is_durable_too_and_leaves_nothing_behind() throws SQLException, IOException {
        Path directory;
        try (EmbeddedPostgres postgres = EmbeddedPostgres.temporary()
                .temporaryParent(sandbox.root())
                .setting("max_connections", "23")
                .start()) {
            directory = postgres.directory();
            assertThat(Sql.show(postgres.dataSource(3), "fsync")).isEqualTo("on");
            assertThat(Sql.show(postgres.dataSource(3), "synchronous_commit")).isEqualTo("on");
            assertThat(Sql.show(postgres.dataSource(3), "full_page_writes")).isEqualTo("on");
            assertThat(Sql.show(postgres.dataSource(3), "max_connections")).isEqualTo("23");
        }
        assertThat(directory).doesNotExist();
        assertThat(sandbox.root()).isEmptyDirectory();
    }

    @Test
    void closing_closes_the_pools_and_may_be_repeated() throws IOException {
        EmbeddedPostgres postgres = EmbeddedPostgres.at(sandbox.usedDirectory()).start();
        HikariDataSource pool = postgres.dataSource();
        assertThat(postgres.dataSource()).isSameAs(pool);

        postgres.close();
        postgres.close();

        assertThat(pool.isClosed()).isTrue();
        assertThatThrownBy(() -> postgres.dataSource(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void another_database_can_be_created_once_or_twice() throws SQLException, IOException {
        try (EmbeddedPostgres postgres =
                EmbeddedPostgres.at(sandbox.usedDirectory()).start()) {
            postgres.createDatabase("user");
            postgres.createDatabase("user");

            assertThat(Sql.strings(postgres.dataSource("user", 1), "select current_database()"))
                    .containsExactly("user");
            assertThat(postgres.jdbcUrl("user")).contains("127.0.0.1:" + postgres.port() + "/user");
            assertThatThrownBy(() -> postgres.createDatabase("x\"; drop")).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void a_port_that_was_taken_in_the_meantime_does_not_block_the_start() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            PrimitiveIterator.OfInt ports =
                    IntStream.of(taken.getLocalPort(), Ports.free()).iterator();
            try (EmbeddedPostgres postgres = EmbeddedPostgres.at(sandbox.usedDirectory())
                    .ports(ports::nextInt)
                    .start()) {
                assertThat(postgres.port()).isNotEqualTo(taken.getLocalPort());
            }
        }
    }

    @Test
    void a_server_that_does_not_start_says_why() throws IOException {
        EmbeddedPostgresBuilder impossible =
                EmbeddedPostgres.at(sandbox.usedDirectory()).setting("shared_buffers", "a lot");

        assertThatThrownBy(impossible::start)
                .isInstanceOfSatisfying(
                        PostgresStartException.class,
                        failure -> assertThat(failure.logLines()).anyMatch(line -> line.contains("shared_buffers")))
                .hasMessageContaining("server.log");

        EmbeddedPostgres.at(sandbox.directory()).start().close();
    }

    @Test
    void a_lost_password_is_reported_and_not_replaced() throws IOException {
        EmbeddedPostgres.at(sandbox.usedDirectory()).start().close();
        Files.delete(sandbox.layout().passwordFile());

        assertThatThrownBy(EmbeddedPostgres.at(sandbox.directory())::start)
                .isInstanceOf(PostgresStartException.class)
                .hasMessageContaining("password")
                .hasMessageContaining("backup");
    }

    @Test
    void the_server_stops_with_a_jvm_that_exits_without_closing() throws IOException {
        Sandbox.Child child = sandbox.child("exit", sandbox.usedDirectory());

        assertThat(child.exitCode()).isZero();
        assertThat(Server.anyIn(sandbox.layout().data())).isFalse();
        assertThat(sandbox.layout().pidFile()).doesNotExist();
    }

    @Test
    void temporary_servers_are_deleted_soon_after_a_jvm_exits_without_closing() throws IOException {
        Sandbox.Child child = sandbox.child("exit-temporary", sandbox.root());
        Layout left = new Layout(Path.of(child.line()));

        assertThat(child.exitCode()).isZero();
        assertThat(Server.anyIn(left.data())).isFalse();
        assertThat(Patience.until(() -> Files.notExists(left.root()), Duration.ofSeconds(30)))
                .isTrue();
    }

    /** A terminal sends it to the whole foreground group; the server must not stop before its owner has released it. */
    @Test
    void ctrl_c_at_our_terminal_does_not_reach_the_server() throws IOException {
        assumeTrue(Files.isDirectory(Path.of("/proc")), "only Linux has setsid, and shows it here");
        try (EmbeddedPostgres postgres =
                EmbeddedPostgres.at(sandbox.usedDirectory()).start()) {
            String status = Files.readString(Path.of("/proc", Long.toString(postgres.pid()), "stat"));
            String group = status.substring(status.lastIndexOf(')')).replaceFirst("\\) \\w \\d+ (\\d+) .*\\s*", "$1");

            assertThat(group).isEqualTo(Long.toString(postgres.pid()));
        }
    }

    @Test
    void a_killed_server_comes_back_on_the_same_port_with_all_acknowledged_data() throws SQLException, IOException {
        try (EmbeddedPostgres postgres =
                EmbeddedPostgres.at(sandbox.usedDirectory()).start()) {
            HikariDataSource pool = postgres.dataSource(2);
            Sql.run(pool, "create table acknowledged as select generate_series(1, 1000) as id");
            long first = postgres.pid();
            int port = postgres.port();

            ProcessHandle.of(first).orElseThrow().destroyForcibly();
            assertThat(Patience.until(() -> postgres.pid() != first, Duration.ofSeconds(60)))
                    .isTrue();

            assertThat(postgres.port()).isEqualTo(port);
            assertThat(Sql.strings(postgres.dataSource(1), "select count(*) from acknowledged"))
                    .containsExactly("1000");
        }
    }

    @Test
    void defaults_suit_a_small_machine() {
        assertThat(Settings.defaults().values())
                .containsEntry("jit", "off")
                .containsEntry("max_connections", "100")
                .containsEntry("shared_buffers", "128MB");
    }

    @Test
    void settings_that_callers_must_not_override_are_refused() {
        for (String name :
                List.of("listen_addresses", "port", "hba_file", "unix_socket_directories", "include", "x y")) {
            assertThatThrownBy(() -> EmbeddedPostgres.temporary().setting(name, "1"))
                    .as(name)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> EmbeddedPostgres.temporary().setting("jit", "on\nlisten_addresses = '*'"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
