package dev.tallystick.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** After a kill of any process at any time, the next start recovers, and no acknowledged data is missing. */
@Timeout(120)
class TakeoverTest {

    private static final int ENOUGH = 300;

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
    void after_the_owner_is_killed_its_server_is_adopted_with_every_acknowledged_row() throws Exception {
        List<String> acknowledged = writeAndKill();

        try (EmbeddedPostgres postgres =
                EmbeddedPostgres.at(sandbox.directory()).start()) {
            assertThat(postgres.adopted()).isTrue();
            assertThat(rows(postgres)).containsAll(acknowledged);
        }
        assertThat(Server.anyIn(sandbox.layout().data()))
                .as("closing stops an adopted server")
                .isFalse();
    }

    @Test
    void after_owner_and_server_are_killed_every_acknowledged_row_is_recovered() throws Exception {
        List<String> acknowledged = writeAndKill();
        kill(PidFile.read(sandbox.layout()).orElseThrow().pid());

        try (EmbeddedPostgres postgres =
                EmbeddedPostgres.at(sandbox.directory()).start()) {
            assertThat(postgres.adopted()).isFalse();
            assertThat(rows(postgres)).containsAll(acknowledged);
        }
    }

    @Test
    void a_server_left_running_with_other_settings_is_replaced() throws Exception {
        List<String> acknowledged = writeAndKill();

        try (EmbeddedPostgres postgres = EmbeddedPostgres.at(sandbox.directory())
                .setting("max_connections", "42")
                .start()) {
            assertThat(postgres.adopted()).isFalse();
            assertThat(Sql.show(postgres.dataSource(), "max_connections")).isEqualTo("42");
            assertThat(rows(postgres)).containsAll(acknowledged);
        }
    }

    @Test
    void a_server_that_does_not_answer_is_replaced() throws Exception {
        List<String> acknowledged = writeAndKill();
        long stuck = PidFile.read(sandbox.layout()).orElseThrow().pid();
        new ProcessBuilder("/bin/sh", "-c", "kill -STOP " + stuck)
                .start()
                .onExit()
                .join();

        try (EmbeddedPostgres postgres =
                EmbeddedPostgres.at(sandbox.directory()).start()) {
            assertThat(postgres.pid()).isNotEqualTo(stuck);
            assertThat(rows(postgres)).containsAll(acknowledged);
        }
    }

    @Test
    void a_query_of_a_killed_server_does_not_block_the_next_start() throws Exception {
        EmbeddedPostgres killed = EmbeddedPostgres.at(sandbox.usedDirectory()).start();
        try (Connection busy = killed.dataSource(1).getConnection();
                Statement statement = busy.createStatement()) {
            CompletableFuture<Void> computation = CompletableFuture.runAsync(() -> loopForEver(statement));
            String running = "select count(*) from pg_stat_activity where query like 'do %' and state = 'active'";
            assertThat(Patience.until(() -> answers(killed, running, "1"), Duration.ofSeconds(30)))
                    .isTrue();
            kill(killed.pid());
            killed.close();
            assertThat(computation).failsWithin(Duration.ofSeconds(30));
        }

        EmbeddedPostgres.at(sandbox.directory()).start().close();
    }

    @Test
    void a_pid_file_that_names_an_unrelated_process_is_ignored_and_the_process_unharmed() throws Exception {
        sandbox.usedDirectory();
        Process stranger = new ProcessBuilder("sleep", "600").start();
        try {
            writePidFile(Long.toString(stranger.pid()));

            EmbeddedPostgres.at(sandbox.directory()).start().close();

            assertThat(stranger.isAlive()).isTrue();
        } finally {
            stranger.destroyForcibly();
        }
    }

    @Test
    void a_pid_file_that_names_a_server_elsewhere_is_ignored_and_that_server_unharmed() throws Exception {
        Path elsewhere = sandbox.root().resolve("elsewhere");
        Files.move(sandbox.usedDirectory(), elsewhere);
        sandbox.usedDirectory();
        try (EmbeddedPostgres other = EmbeddedPostgres.at(elsewhere).start()) {
            writePidFile(Long.toString(other.pid()));

            try (EmbeddedPostgres postgres =
                    EmbeddedPostgres.at(sandbox.directory()).start()) {
                assertThat(postgres.adopted()).isFalse();
                assertThat(Sql.strings(other.dataSource(1), "select 1")).containsExactly("1");
            }
        }
    }

    @Test
    void an_empty_pid_file_does_not_block_the_start() throws Exception {
        sandbox.usedDirectory();
        Files.writeString(sandbox.layout().pidFile(), "");

        EmbeddedPostgres.at(sandbox.directory()).start().close();
    }

    /** Halts the starting JVM at each named point in turn; the processes it started keep running. */
    @ParameterizedTest
    @EnumSource(StartPoint.class)
    void after_a_crash_at_any_point_of_the_start_the_next_start_works(StartPoint point) throws Exception {
        boolean comesAfterTheCluster = point.compareTo(StartPoint.CLUSTER_IN_PLACE) > 0;
        Path directory = comesAfterTheCluster ? sandbox.usedDirectory() : sandbox.directory();
        assertThat(sandbox.child("halt", directory, point).exitCode()).isEqualTo(99);

        try (EmbeddedPostgres postgres =
                EmbeddedPostgres.at(sandbox.directory()).start()) {
            assertThat(Sql.strings(postgres.dataSource(1), "select 1")).containsExactly("1");
        }
        try (Stream<Path> left = Files.list(sandbox.directory())) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder("data", "lock", "password", "server.log");
        }
    }

    /** A process with exactly the same command line, which does not end when its directory is gone. */
    @Test
    void an_initdb_that_a_killed_owner_left_behind_is_ended() throws Exception {
        Path unfinished = Files.createDirectories(sandbox.usedDirectory().resolve(Layout.UNFINISHED + "1"));
        Process initdb =
                new ProcessBuilder("/bin/sh", "-c", "read never; :", "initdb", "--pgdata=" + unfinished).start();
        try {
            EmbeddedPostgres.at(sandbox.directory()).start().close();

            assertThat(initdb.onExit()).succeedsWithin(Duration.ofSeconds(30));
            assertThat(unfinished).doesNotExist();
        } finally {
            initdb.destroyForcibly();
        }
    }

    @Test
    void a_temporary_directory_whose_owner_was_killed_is_cleared_by_the_next() throws Exception {
        Sandbox.Child child = sandbox.child("hold-temporary", sandbox.root());
        Path abandoned = Path.of(child.line());
        child.kill();

        try (EmbeddedPostgres next =
                EmbeddedPostgres.temporary().temporaryParent(sandbox.root()).start()) {
            assertThat(abandoned).doesNotExist();
            assertThat(next.directory()).exists();
        }
    }

    @Test
    void a_foreign_link_beside_temporary_directories_is_not_followed() throws Exception {
        Path link = sandbox.root().resolve("tallystick-postgres-1");
        Files.createSymbolicLink(link, sandbox.usedDirectory());

        TemporaryDirectories.clearAbandoned(sandbox.root());

        assertThat(link).isSymbolicLink();
        assertThat(sandbox.layout().data()).exists();
    }

    /** The rows that a child acknowledged before it was killed in the middle of writing. */
    private List<String> writeAndKill() throws IOException {
        Sandbox.Child child = sandbox.child("write", sandbox.usedDirectory());
        List<String> acknowledged = new ArrayList<>();
        while (acknowledged.size() < ENOUGH) {
            acknowledged.add(child.line());
        }
        child.kill();
        acknowledged.addAll(child.rest());
        return acknowledged;
    }

    private static List<String> rows(EmbeddedPostgres postgres) throws SQLException {
        return Sql.strings(postgres.dataSource(), "select id from acknowledged");
    }

    private static void kill(long pid) {
        ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
        process.destroyForcibly();
        process.onExit().join();
    }

    private void writePidFile(String pid) throws IOException {
        List<String> lines =
                List.of(pid, sandbox.layout().data().toString(), "1700000000", "1", "", "127.0.0.1", "1 1", "ready");
        Files.write(sandbox.layout().pidFile(), lines);
    }

    private static void loopForEver(Statement statement) {
        try {
            statement.execute("do 'begin loop end loop; end'");
        } catch (SQLException cut) {
            throw new IllegalStateException(cut);
        }
    }

    private static boolean answers(EmbeddedPostgres postgres, String query, String expected) {
        try {
            return Sql.strings(postgres.dataSource(), query).equals(List.of(expected));
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }
}
