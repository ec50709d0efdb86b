package dev.tallystick.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Other users of the machine have no access to the directory or the server, and are not trusted. */
@Timeout(120)
class PrivacyTest {

    private static final int CLEAR_TEXT_PASSWORD_PLEASE = 3;
    private static final int WELCOME = 0;
    private static final String CONNECTION_REJECTED = "08004";

    private static Sandbox sandbox;
    private static EmbeddedPostgres postgres;

    @BeforeAll
    static void start() throws IOException {
        sandbox = new Sandbox();
        postgres = EmbeddedPostgres.at(sandbox.directory()).start();
    }

    @AfterAll
    static void stop() throws IOException {
        postgres.close();
        sandbox.close();
    }

    @Test
    void directory_and_files_are_for_the_owner_alone() throws IOException {
        assertThat(permissions(postgres.directory())).isEqualTo("rwx------");
        assertThat(permissions(sandbox.layout().data())).isEqualTo("rwx------");
        assertThat(permissions(postgres.passwordFile())).isEqualTo("rw-------");
        assertThat(permissions(postgres.logFile())).isEqualTo("rw-------");
        assertThat(permissions(sandbox.layout().lockFile())).isEqualTo("rw-------");
        assertThat(Files.readString(postgres.passwordFile()).strip())
                .isEqualTo(postgres.password())
                .hasSize(43);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "wrong", "tally"})
    void access_requires_the_password(String password) {
        for (String user : List.of("tally", "postgres", "root", System.getProperty("user.name"))) {
            assertThatThrownBy(() -> DriverManager.getConnection(plainUrl(), user, password))
                    .as(user)
                    .isInstanceOf(SQLException.class);
        }
    }

    @Test
    void the_server_listens_only_on_the_loopback_address() throws SQLException {
        assertThat(Sql.show(postgres.dataSource(), "listen_addresses")).isEqualTo("127.0.0.1");
        assertThat(Sql.show(postgres.dataSource(), "unix_socket_directories")).isEmpty();
        assertThat(Sql.strings(
                        postgres.dataSource(), "select distinct type || ' ' || auth_method from pg_hba_file_rules"))
                .containsExactly("host scram-sha-256");
    }

    @Test
    void the_password_is_on_no_command_line_in_no_log_and_in_no_message() throws IOException {
        Stream<String> commandLines = Stream.concat(
                        Stream.of(ProcessHandle.of(postgres.pid()).orElseThrow()),
                        ProcessHandle.of(postgres.pid()).orElseThrow().children())
                .map(process -> process.info().commandLine().orElse(""));

        assertThat(commandLines).noneMatch(line -> line.contains(postgres.password()));
        assertThat(Files.readString(postgres.logFile())).doesNotContain(postgres.password());
        assertThat(Files.readString(sandbox.layout().configuration())).doesNotContain(postgres.password());
        assertThat(postgres.jdbcUrl() + postgres + new Password("secret"))
                .doesNotContain(postgres.password(), "secret");
    }

    /** Only root can act as another user to try it; the permissions above hold for everyone. */
    @Test
    void another_user_can_neither_read_the_password_nor_see_the_directory() throws IOException {
        assumeTrue(PrivateFiles.weAreRoot(), "only root can act as another user");

        assertThat(runAsNobody("cat", postgres.passwordFile())).isNotZero();
        assertThat(runAsNobody("ls", postgres.directory())).isNotZero();
        assertThat(runAsNobody("cat", Path.of("/proc/self/status")))
                .as("the attempt itself works")
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {CLEAR_TEXT_PASSWORD_PLEASE, WELCOME})
    void a_foreign_process_on_the_port_learns_nothing_and_is_not_trusted(int authentication) throws Exception {
        try (ServerSocket stranger = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<String> heard = CompletableFuture.supplyAsync(() -> playServer(stranger, authentication));
            Login login = new Login(stranger.getLocalPort(), new Password("the-secret"));

            assertThatThrownBy(
                            () -> login.answeringWithin(Duration.ofSeconds(10)).getConnection())
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            refusal -> assertThat(refusal.getSQLState())
                                    .as("refused by the client, not timed out: %s", refusal)
                                    .isEqualTo(CONNECTION_REJECTED));

            assertThat(heard.join()).contains("tally").doesNotContain("the-secret");
        }
    }

    @Test
    void a_directory_that_others_could_have_read_is_refused() throws IOException {
        Path open = Files.createDirectory(sandbox.root().resolve("open"));
        Files.writeString(open.resolve("something"), "in it");
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-x---"));

        assertThatThrownBy(EmbeddedPostgres.at(open)::start)
                .isInstanceOf(PostgresStartException.class)
                .hasMessageContaining("chmod 700");
    }

    @Test
    void an_empty_directory_is_closed_to_others() throws IOException {
        Path empty = Files.createDirectory(sandbox.root().resolve("empty"));
        Files.setPosixFilePermissions(empty, PosixFilePermissions.fromString("rwxrwxrwx"));

        PrivateFiles.closeToOthers(empty);

        assertThat(permissions(empty)).isEqualTo("rwx------");
    }

    @Test
    void programs_are_not_taken_from_a_cache_that_others_can_write_to() throws IOException {
        Path cache = Files.createDirectory(sandbox.root().resolve("cache"));
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwxrwxrwx"));

        assertThatThrownBy(() -> Binaries.unpackedIn(cache))
                .isInstanceOf(PostgresStartException.class)
                .hasMessageContaining("TALLY_CACHE_DIR");
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    /** Like an ordinary client, which does not require the server's proof. */
    private static String plainUrl() {
        return "jdbc:postgresql://127.0.0.1:%d/postgres".formatted(postgres.port());
    }

    private static int runAsNobody(String program, Path argument) throws IOException {
        return new ProcessBuilder(
                        "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program, argument.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .onExit()
                .join()
                .exitValue();
    }

    /** Answers a login with {@code authentication} and returns everything that the client sent. */
    private static String playServer(ServerSocket socket, int authentication) {
        try (Socket client = socket.accept();
                DataInputStream in = new DataInputStream(client.getInputStream());
                DataOutputStream out = new DataOutputStream(client.getOutputStream())) {
            ByteArrayOutputStream heard = new ByteArrayOutputStream();
            byte[] opening = in.readNBytes(in.readInt() - Integer.BYTES);
            if (!new String(opening, StandardCharsets.ISO_8859_1).contains("user")) {
                out.writeByte('N');
                opening = in.readNBytes(in.readInt() - Integer.BYTES);
            }
            heard.writeBytes(opening);
            out.writeByte('R');
            out.writeInt(2 * Integer.BYTES);
            out.writeInt(authentication);
            out.flush();
            in.transferTo(heard);
            return heard.toString(StandardCharsets.ISO_8859_1);
        } catch (IOException cut) {
            throw new IllegalStateException(cut);
        }
    }
}
