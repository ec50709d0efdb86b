package dev.tallystick.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.cli.DaemonScript;
import dev.tallystick.cli.Run;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands where a daemon has its directory. There is no server. */
class ThroughDaemonTest {

    private static final String JSON = "application/json";
    private static final String KEPT = "{\"client_message_id\":\"k\",\"status\":\"queued\"}";

    @TempDir
    Path home;

    @TempDir
    Path directory;

    private Run tally(String... arguments) {
        Map<String, String> environment = Map.of(
                "HOME",
                home.toString(),
                "TALLY_DAEMON_DIR",
                directory.toString(),
                "TALLY_SERVER",
                "http://127.0.0.1:1",
                "TALLY_TOKEN",
                "t");
        return Run.tally(environment, arguments);
    }

    @Test
    void a_message_and_a_job_are_kept_here() throws Exception {
        try (DaemonScript daemon = new DaemonScript(directory, 202, JSON, KEPT)) {
            Run send = tally("send", "topic:alerts", "--body", "smoke", "--key", "k", "--mention", "bob");
            Run submit = tally("submit", "order", "--input", "{\"order\":1}", "--key", "k", "--json");

            assertThat(send.out()).isEqualTo("kept here, queued, under the key k\n");
            assertThat(send.exitCode()).isZero();
            assertThat(submit.out()).isEqualTo("{\"key\":\"k\",\"kept_here\":\"queued\"}\n");
            assertThat(submit.err()).contains("'tally job show --key k'");
            Files.writeString(
                    directory.resolve("daemon.json"),
                    "{\"server\":\"http://127.0.0.1:1\",\"token_file\":\"/my.token\"}");
            assertThat(tally("submit", "order", "--input", "{\"order\":1}", "--key", "k")
                            .err())
                    .contains("'tally job show --key k --server http://127.0.0.1:1 --token-file /my.token'");
            assertThat(daemon.requests().getFirst())
                    .startsWith("POST /v1/send ")
                    .contains("\"message\":\"smoke\"", "\"mentions\":[\"bob\"]", "\"to\":\"topic:alerts\"");
            assertThat(daemon.requests().getLast())
                    .startsWith("POST /v1/jobs ")
                    .contains("\"input\":{\"order\":1}", "Idempotency-Key: k\r\n");
        }
    }

    @Test
    void what_is_meant_for_another_server_is_not_kept() throws Exception {
        Files.writeString(directory.resolve("daemon.json"), "{\"server\":\"http://127.0.0.1:2\"}");
        try (DaemonScript daemon = new DaemonScript(directory, 202, JSON, KEPT)) {
            Run submit = tally("submit", "order", "--key", "k");

            assertThat(submit.exitCode()).isEqualTo(ExitCode.USAGE.code());
            assertThat(submit.err()).contains("TALLY_SERVER is http://127.0.0.1:1", "delivers to http://127.0.0.1:2");
            assertThat(daemon.requests()).isEmpty();
        }
    }

    @Test
    void what_the_server_is_known_to_have_is_accepted_there() throws Exception {
        String id = "00000000-0000-7000-8000-000000000000";
        String done = "{\"client_message_id\":\"k\",\"duplicate\":true,\"broker_message_id\":\"" + id + "\"}";
        try (DaemonScript daemon = new DaemonScript(directory, 200, JSON, done)) {
            assertThat(tally("submit", "order", "--key", "k").out()).isEqualTo("accepted there before as " + id + "\n");
            assertThat(tally("send", "queue:q", "--json-body", "[1]", "--key", "k", "--json")
                            .out())
                    .isEqualTo("{\"key\":\"k\",\"message_id\":\"" + id + "\",\"duplicate\":true}\n");
            assertThat(daemon.requests()).hasSize(2);
        }
    }

    @Test
    void a_refusal_of_the_daemon_is_a_conflict() throws Exception {
        String problem = "{\"type\":\"urn:tallystick:problem:idempotency_key_reused\","
                + "\"code\":\"idempotency_key_reused\",\"detail\":\"d\"}";
        try (DaemonScript daemon = new DaemonScript(directory, 409, "application/problem+json", problem)) {
            Run send = tally("send", "topic:alerts", "--body", "x", "--key", "k");

            assertThat(send.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
            assertThat(send.err()).contains("nothing was kept");
            assertThat(daemon.requests()).hasSize(1);
        }
    }

    @Test
    void without_a_running_daemon_a_key_is_not_sent_past_it() {
        for (String[] command :
                new String[][] {{"send", "topic:alerts", "--body", "x", "--key", "k"}, {"submit", "order", "--key", "k"}
                }) {
            Run run = tally(command);

            assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE.code());
            assertThat(run.err()).contains("Start the daemon: tally daemon start --dir " + directory);
        }
    }

    @Test
    void what_only_a_server_can_do_is_refused_before_anything_is_kept() throws Exception {
        try (DaemonScript daemon = new DaemonScript(directory, 202, JSON, KEPT)) {
            assertThat(tally("submit", "order", "--key", "k", "--wait").err()).contains("--wait");
            assertThat(tally("send", "topic:a", "--body", "x", "--server", "http://x")
                            .err())
                    .contains("Leave out --server");
            assertThat(tally("send", "workflow:order", "--body", "x").exitCode())
                    .isEqualTo(ExitCode.USAGE.code());
            assertThat(tally("send", "topic:a", "--body", "x", "--meta", "[]").exitCode())
                    .isEqualTo(ExitCode.USAGE.code());
            assertThat(daemon.requests()).isEmpty();
        }
    }

    @Test
    void the_directory_is_the_one_that_is_named_or_the_usual_one_if_it_exists() throws Exception {
        Path usual = Files.createDirectories(home.resolve(".tally/daemon"));
        Map<String, String> environment = Map.of("HOME", home.toString());
        Path none = home.resolve("none");

        assertThat(Run.tally(environment, "send", "topic:a", "--body", "x", "--key", "k")
                        .err())
                .contains(usual.toString());
        assertThat(Run.tally(environment, "send", "topic:a", "--body", "x", "--dir", none.toString())
                        .err())
                .contains("there is no directory " + none);
        assertThat(Run.tally(Map.of("HOME", none.toString()), "send", "topic:a", "--body", "x")
                        .err())
                .as("without a directory it goes to the server, for which there is no token")
                .contains("there is no token");
    }

    @Test
    void an_empty_variable_means_no_daemon_for_every_command() throws Exception {
        Files.createDirectories(home.resolve(".tally/daemon"));
        Map<String, String> environment = Map.of("HOME", home.toString(), "TALLY_DAEMON_DIR", "");

        assertThat(Run.tally(environment, "send", "topic:a", "--body", "x", "--key", "k")
                        .err())
                .as("it goes to the server, for which there is no token")
                .contains("there is no token");
        for (String[] command : new String[][] {
            {"daemon", "status"},
            {"daemon", "start"},
            {"daemon", "install", "--print"},
            {"outbox", "ls"},
            {"inbox", "ls"}
        }) {
            Run run = Run.tally(environment, command);
            assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.code());
            assertThat(run.err()).contains("TALLY_DAEMON_DIR is empty");
        }
    }
}
