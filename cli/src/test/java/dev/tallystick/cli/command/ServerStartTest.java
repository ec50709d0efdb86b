package dev.tallystick.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.cli.Run;
import dev.tallystick.postgres.EmbeddedPostgres;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What a server prints if it cannot start. */
class ServerStartTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perClass();

    @TempDir
    Path data;

    @Test
    void a_port_in_use_is_explained() throws IOException {
        try (ServerSocket taken = new ServerSocket(0)) {
            Run run = Run.tally(
                    "server",
                    "--port",
                    Integer.toString(taken.getLocalPort()),
                    "--data",
                    data.resolve("other").toString(),
                    "--postgres",
                    postgres.url());
            assertThat(run.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
            assertThat(run.err()).contains(Integer.toString(taken.getLocalPort()));
        }
    }

    @Test
    void an_unusable_postgres_is_explained_without_its_password() {
        String other = data.resolve("other").toString();

        Run absent = Run.tally(
                "server",
                "--database-wait",
                "0",
                "--data",
                other,
                "--postgres",
                "jdbc:postgresql://127.0.0.1:1/x?user=u&password=geheim");
        Run misnamed = Run.tally("server", "--data", other, "--postgres", "postgres://u:geheim@127.0.0.1/x");
        Run limiter = Run.tally(Map.of("TALLY_LIMITER", "redis://:ge^heim@127.0.0.1"), "server", "--data", other);
        Run option = Run.tally("server", "--data", other, "--limiter", "redis://:ge^heim@127.0.0.1");

        assertThat(absent.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(absent.err()).contains("refused", "Is it running").doesNotContain("Exception");
        assertThat(misnamed.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(misnamed.err()).contains("jdbc:postgresql://HOST");
        assertThat(limiter.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(limiter.err()).contains("TALLY_LIMITER");
        assertThat(absent.err() + misnamed.err() + limiter.err() + option.err())
                .doesNotContain("geheim")
                .doesNotContain("ge^heim");
    }

    @Test
    void a_data_directory_in_use_is_explained() {
        Path held = data.resolve("held");
        try (EmbeddedPostgres holder =
                EmbeddedPostgres.at(held.resolve("postgres")).start()) {
            Run run = Run.tally("server", "--port", "0", "--data", held.toString());
            assertThat(run.exitCode()).as(holder.toString()).isEqualTo(ExitCode.CONFLICT.code());
            assertThat(run.err()).contains("is in use", "--postgres").doesNotContain("Exception");
        }
    }

    @Test
    void the_password_of_the_postgres_comes_from_the_environment_or_a_file() throws IOException {
        String url = postgres.url().replaceFirst("[?&]password=[^&]+", "");
        String password = URLDecoder.decode(
                postgres.url().replaceFirst(".*[?&]password=([^&]+).*", "$1"), StandardCharsets.UTF_8);
        Path file = Files.writeString(data.resolve("password"), password + "\n");
        String taken = "cannot listen";

        try (ServerSocket port = new ServerSocket(0)) {
            String[] command = {
                "server",
                "--port",
                Integer.toString(port.getLocalPort()),
                "--data",
                data.resolve("d").toString()
            };
            Map<String, String> inPlace = Map.of("TALLY_POSTGRES", url, "TALLY_POSTGRES_PASSWORD", password);
            Map<String, String> inFile = Map.of("TALLY_POSTGRES", url, "TALLY_POSTGRES_PASSWORD_FILE", file.toString());
            Map<String, String> wrong = Map.of("TALLY_POSTGRES", url, "TALLY_POSTGRES_PASSWORD", "ge&heim");
            Map<String, String> missing = Map.of("TALLY_POSTGRES", url, "TALLY_POSTGRES_PASSWORD_FILE", file + ".no");

            assertThat(Run.tally(inPlace, command).err()).contains(taken);
            assertThat(Run.tally(inFile, command).err()).contains(taken);
            assertThat(Run.tally(wrong, command).err())
                    .contains("password authentication")
                    .doesNotContain("ge&heim");
            assertThat(Run.tally(missing, command).err()).contains("TALLY_POSTGRES_PASSWORD_FILE");
        }
    }
}
