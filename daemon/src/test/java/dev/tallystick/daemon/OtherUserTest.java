package dev.tallystick.daemon;

import static dev.tallystick.daemon.DaemonUnderTest.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.tallystick.daemon.local.LocalClient;
import dev.tallystick.daemon.local.LocalServer;
import dev.tallystick.testkit.Eventually;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Other users of the machine get nothing, where the tests may act as one: as root. */
class OtherUserTest {

    private Path folder;

    @BeforeEach
    void prepare() throws IOException, InterruptedException {
        assumeThat(System.getProperty("user.name")).isEqualTo("root");
        // Not a folder of the test: others must be able to reach it.
        folder = Files.createTempDirectory("tally-other");
        // As /tmp is: all may create files there, and each removes its own.
        assertThat(run(List.of("chmod", "1777", folder.toString())).code()).isZero();
        assumeThat(asOther("true").code()).isZero();
        assumeThat(asOther("curl", "--version").code()).isZero();
    }

    @AfterEach
    void remove() throws IOException, InterruptedException {
        if (folder != null) {
            run(List.of("rm", "-rf", folder.toString()));
        }
    }

    @Test
    void another_user_can_neither_connect_nor_read_the_token() throws Exception {
        Path directory = folder.resolve("d");
        try (Daemon daemon = DaemonUnderTest.offline(directory)) {
            assertThat(DaemonUnderTest.send(directory, "k", message("topic:a", "x"))
                            .status())
                    .isEqualTo(202);
            assertThat(curl(directory).code()).isNotZero();
            assertThat(asOther("cat", directory.resolve(Daemon.TOKEN_FILE).toString())
                            .code())
                    .isNotZero();

            // Even if the modes are opened while it runs, the kernel says whose process it is.
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.setPosixFilePermissions(
                    directory.resolve(LocalServer.SOCKET), PosixFilePermissions.fromString("rw-rw-rw-"));
            Result served = curl(directory);
            assertThat(served.code()).isNotZero();
            assertThat(served.output()).doesNotContain("healthy");
            assertThat(daemon.tcpPort()).isZero();
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        }
    }

    @Test
    void what_another_user_prepared_is_not_used() throws Exception {
        Path theirs = folder.resolve("theirs");
        assertThat(asOther("mkdir", "-m", "700", theirs.toString()).code()).isZero();
        assertThatThrownBy(() -> DaemonUnderTest.offline(theirs)).hasMessageContaining("not to you");

        Path link = folder.resolve("link");
        assertThat(asOther("ln", "-s", theirs.toString(), link.toString()).code())
                .isZero();
        assertThatThrownBy(() -> DaemonUnderTest.offline(link)).hasMessageContaining("not a link");

        Path ours = folder.resolve("ours");
        DaemonUnderTest.offline(ours).close();
        assertThat(asOther(
                                "ln",
                                "-s",
                                "/etc/passwd",
                                ours.resolve(LocalServer.SOCKET).toString())
                        .code())
                .as("the directory is closed to others")
                .isNotZero();
    }

    @Test
    void another_user_cannot_swap_the_directory_of_a_running_daemon() throws Exception {
        Path ours = folder.resolve("ours");
        Path theirs = folder.resolve("theirs");
        assertThat(asOther("mkdir", "-m", "777", theirs.toString()).code()).isZero();
        try (Daemon daemon = DaemonUnderTest.offline(ours)) {
            assertThat(asOther("mv", ours.toString(), folder.resolve("away").toString())
                            .code())
                    .isNotZero();
            assertThat(asOther("ln", "-sfnT", theirs.toString(), ours.toString())
                            .code())
                    .isNotZero();
            assertThat(DaemonUnderTest.send(ours, "k", message("topic:a", "x")).status())
                    .isEqualTo(202);
            assertThat(daemon.outbox().list(null, 0, 10)).hasSize(1);
        }
    }

    @Test
    void a_directory_that_another_user_could_swap_is_not_used() throws Exception {
        Path open = Files.createDirectory(folder.resolve("open"));
        Path ours = open.resolve("ours");
        assertThat(run(List.of("chmod", "777", open.toString())).code()).isZero();
        assertThatThrownBy(() -> DaemonUnderTest.offline(ours).close())
                .isInstanceOfSatisfying(
                        DaemonStartException.class,
                        e -> assertThat(e.kind()).isEqualTo(DaemonStartException.Kind.NOT_PRIVATE))
                .hasMessageContaining("chmod go-w " + open);

        assertThat(run(List.of("chmod", "755", open.toString())).code()).isZero();
        DaemonUnderTest.offline(ours).close();
        assertThat(run(List.of("chown", "65534", open.toString())).code()).isZero();
        assertThatThrownBy(() -> DaemonUnderTest.offline(ours).close()).hasMessageContaining("others can replace");

        // A link on the way is followed once: what it leads to is checked, and used from then on.
        Path link = Files.createSymbolicLink(folder.resolve("link"), open);
        assertThatThrownBy(() -> DaemonUnderTest.offline(link.resolve("ours")).close())
                .hasMessageContaining("others can replace");
    }

    @Test
    void commands_do_not_talk_to_the_daemon_of_another_user() throws Exception {
        assumeThat(asOther("perl", "-v").code()).isZero();
        Path theirs = folder.resolve("theirs");
        assertThat(asOther("mkdir", "-m", "777", theirs.toString()).code()).isZero();
        Process listener = new ProcessBuilder(
                        "setpriv",
                        "--reuid",
                        "65534",
                        "--regid",
                        "65534",
                        "--clear-groups",
                        "perl",
                        "-MIO::Socket::UNIX",
                        "-e",
                        "my $s = IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 5) or die; $s->accept; <STDIN>",
                        theirs.resolve(LocalServer.SOCKET).toString())
                .start();
        try {
            Eventually.holds("it is refused", () -> {
                try {
                    LocalClient.to(theirs).close();
                    return false;
                } catch (IOException e) {
                    return String.valueOf(e.getMessage()).contains("belongs to");
                }
            });
        } finally {
            listener.destroyForcibly().waitFor();
        }
    }

    private Result curl(Path directory) throws IOException, InterruptedException {
        return asOther(
                "curl",
                "-s",
                "-m",
                "5",
                "--unix-socket",
                directory.resolve(LocalServer.SOCKET).toString(),
                "http://localhost/v1/health");
    }

    private record Result(int code, String output) {}

    private static Result asOther(String... command) throws IOException, InterruptedException {
        List<String> whole =
                new ArrayList<>(List.of("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"));
        whole.addAll(List.of(command));
        return run(whole);
    }

    private static Result run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return new Result(process.exitValue(), output);
    }
}
