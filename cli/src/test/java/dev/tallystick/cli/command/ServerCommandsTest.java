package dev.tallystick.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.cli.Run;
import dev.tallystick.client.Messages.NewMessage;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Destination;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.server.ServerSettings;
import dev.tallystick.server.TallyServer;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Runs the commands that call a server against a real one. */
class ServerCommandsTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perClass();

    @TempDir
    static Path data;

    private static TallyServer server;
    private static Map<String, String> environment;

    @BeforeAll
    static void start() throws IOException {
        server = TallyServer.start(ServerSettings.of(data, Map.of())
                .at(ServerSettings.LOOPBACK, 0)
                .on(postgres.url())
                .withSamples(true));
        environment = Map.of(
                "TALLY_SERVER",
                server.address().toString(),
                "TALLY_TOKEN",
                Files.readString(server.adminToken()).strip());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Run tally(String... arguments) {
        return Run.tally(environment, arguments);
    }

    private static Map<String, Json> json(Run run) {
        assertThat(run.exitCode()).as(run.err()).isZero();
        return ((Json.ObjectValue) Json.parse(run.out())).members();
    }

    private static String text(Map<String, Json> fields, String name) {
        return ((Json.StringValue) Objects.requireNonNull(fields.get(name))).value();
    }

    private static String submit(String workflow, String key) {
        Run run = tally("submit", workflow, "--input", "{\"order\":\"1\"}", "--key", key, "--json");
        return text(json(run), "job_id");
    }

    @Test
    void a_job_is_submitted_waited_for_and_submitted_again() {
        String[] command = {"submit", "sample.order", "--input", "{\"order\":\"7\"}", "--key", "cli:7"};

        Run first = tally("submit", "sample.order", "--input", "{\"order\":\"7\"}", "--key", "cli:7", "--wait");
        Run again = tally(command);

        assertThat(first.exitCode()).as(first.err()).isZero();
        assertThat(first.out()).contains("\"status\":\"confirmed\"");
        assertThat(again.out()).contains("submitted before");
    }

    @Test
    void without_a_key_a_new_one_is_shown_before_anything_is_sent() {
        Run run = tally("submit", "sample.order", "--input", "{\"order\":\"8\"}");

        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).containsPattern("key cli:1:[0-9a-f]{16}");
    }

    @Test
    void a_message_goes_directly_where_no_daemon_runs(@TempDir Path daemon) {
        Map<String, String> withDirectory = new HashMap<>(environment);
        withDirectory.put("TALLY_DAEMON_DIR", daemon.toString());

        Run first = tally("send", "member:admin", "--body", "smoke", "--key", "cli:send");
        Run again = tally("send", "member:admin", "--body", "smoke", "--key", "cli:send");
        Run past = Run.tally(withDirectory, "send", "member:admin", "--body", "fire");

        assertThat(first.out()).contains(", accepted by the server\n");
        assertThat(again.out()).contains(", accepted by the server before\n");
        assertThat(past.out()).contains(", accepted by the server\n");
        assertThat(past.err()).contains("no daemon runs in " + daemon + ": going directly to the server");
    }

    @Test
    void exit_codes_tell_scripts_what_happened() throws IOException {
        submit("sample.order", "cli:9");

        assertThat(tally("submit", "sample.order", "--input", "2", "--key", "cli:9")
                        .exitCode())
                .as("another request under the key")
                .isEqualTo(ExitCode.CONFLICT.code());
        assertThat(tally("submit", "nowhere", "--key", "cli:10").exitCode())
                .as("no such workflow")
                .isEqualTo(ExitCode.NOT_FOUND.code());
        assertThat(tally("submit", "sample.order", "--input", "{").exitCode())
                .as("no JSON")
                .isEqualTo(ExitCode.USAGE.code());
        assertThat(tally("job", "show", "00000000-0000-7000-8000-000000000000").exitCode())
                .as("no such job")
                .isEqualTo(ExitCode.NOT_FOUND.code());
        assertThat(tally("job", "show").exitCode()).as("which job").isEqualTo(ExitCode.USAGE.code());
        Run missing = tally("workflow", "deploy", "nowhere.yaml");
        assertThat(missing.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(missing.err()).contains("there is no file nowhere.yaml").doesNotContain("Exception");
        Run nothing = tally("submit", "sample.order", "--key", "cli:10", "--wait");
        assertThat(nothing.exitCode()).as("an input that is none").isEqualTo(ExitCode.CONFLICT.code());
        assertThat(nothing.out()).contains("failed", "the input of a sample is {\"order\": \"42\"}");
        Map<String, String> stranger = new HashMap<>(environment);
        stranger.put("TALLY_TOKEN", "nonsense");
        Run refused = Run.tally(stranger, "job", "ls");
        assertThat(refused.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(refused.err()).contains("unauthenticated", "that of TALLY_TOKEN", "tally member token NAME");
        stranger.put("TALLY_SERVER", "http://127.0.0.1:1");
        // The command would try for longer than a test may.
        Thread.currentThread().interrupt();
        Run unreachable = Run.tally(stranger, "job", "ls");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(unreachable.exitCode()).isEqualTo(ExitCode.UNAVAILABLE.code());
        assertThat(unreachable.err()).contains("Start the server with 'tally server'");
    }

    @Test
    void a_job_is_followed_signalled_and_cancelled() {
        String id = submit("sample.approval", "cli:11");
        String other = submit("sample.approval", "cli:12");

        Run open = tally("job", "result", id);
        assertThat(open.out()).isEqualTo("open\n");
        assertThat(open.exitCode()).isEqualTo(ExitCode.UNKNOWN_OUTCOME.code());
        assertThat(json(tally("job", "why", id, "--json"))).containsKey("waits");
        assertThat(tally("job", "signal", id, "approved", "--payload", "{\"by\":\"ann\"}", "--key", "s")
                        .out())
                .contains("is sent");
        assertThat(tally("job", "result", "--key", "cli:11", "--wait", "30").out())
                .contains("approved by ann");
        assertThat(tally("job", "activities", id).out()).containsPattern("\\d{15}  .*reserve");
        assertThat(tally("job", "events", id).out())
                .containsPattern(" 1  \\S+Z  accepted")
                .containsPattern("entered +\\S+ +reserve")
                .containsPattern("closed +completed");
        assertThat(tally("job", "events", id, "--follow").out())
                .isEqualTo(tally("job", "events", id).out());
        assertThat(tally("job", "events", id, "--follow", "--after", "1000").exitCode())
                .isZero();
        assertThat(tally("job", "events", id, "--follow", "--after", "1", "--json")
                        .out())
                .startsWith("{")
                .contains("\"position\":2");
        assertThat(json(tally("job", "events", id, "--json"))).containsKeys("events", "next");
        assertThat(tally("job", "cancel", other).exitCode()).isZero();
        assertThat(tally("job", "result", other, "--wait", "30").exitCode())
                .as("it did not complete")
                .isEqualTo(ExitCode.CONFLICT.code());
        assertThat(tally("job", "ls", "--status", "cancelled").out()).contains(other);
        assertThat(json(tally("job", "show", other, "--json"))).containsEntry("status", Json.of("cancelled"));
    }

    @Test
    void a_job_is_found_by_its_attributes_and_done_again() {
        String[] found = {"job", "ls", "--attribute", "customer=ann", "--json"};
        Run submitted = tally(
                "submit",
                "sample.order",
                "--input",
                "{\"order\":\"1\"}",
                "--key",
                "cli:20",
                "--attribute",
                "customer=ann",
                "--wait",
                "--json");
        String id = text(json(submitted), "job_id");
        assertThat(tally(found).out()).contains(id);

        Map<String, Json> rerun = json(tally("job", "rerun", id, "--key", "cli:21", "--json"));
        assertThat(rerun).containsEntry("continued_from", Json.of(id));
        assertThat(tally("job", "rerun", id, "--request-key", "cli:21").out())
                .isEqualTo("job " + text(rerun, "job_id") + ", started before\n");
        assertThat(tally("job", "fork", id, "--from", "charge").out()).endsWith(", started\n");
        Run nowhere = tally("job", "fork", id, "--from", "nowhere");
        assertThat(nowhere.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(nowhere.err()).contains("rerun_refused", "it has reserve at 1");
    }

    @Test
    void dead_letters_are_listed_redriven_and_discarded() {
        for (String key : new String[] {"cli:30", "cli:31"}) {
            tally("submit", "sample.order", "--input", "\"no order\"", "--key", key, "--wait");
        }
        String first = text(json(tally("job", "show", "--key", "cli:30", "--json")), "job_id");
        String second = text(json(tally("job", "show", "--key", "cli:31", "--json")), "job_id");

        assertThat(tally("job", "show", first).out())
                .containsPattern("last_error +\\$main failed: \\S+Exception")
                .containsPattern("(?m)^\tat \\S+");
        assertThat(tally("job", "events", first).out())
                .containsPattern("failed +\\$main: \\S+Exception")
                .containsPattern("closed +failed: \\S+Exception");
        assertThat(tally("deadletter", "ls").out()).contains(first, second);
        assertThat(json(tally("deadletter", "show", first, "--json"))).containsEntry("ceiling", Json.of(false));
        assertThat(tally("deadletter", "redrive", first).out()).endsWith("continues it\n");
        assertThat(tally("deadletter", "discard", second).exitCode()).isZero();
        assertThat(tally("deadletter", "ls", "--limit", "500").out()).doesNotContain(first, second);
        assertThat(tally("deadletter", "show", second).exitCode()).isEqualTo(ExitCode.NOT_FOUND.code());
    }

    @Test
    void calls_that_were_given_up_are_listed_and_made_again() {
        TallyClient client = new TallyClient(
                server.address(), Objects.requireNonNull(environment.get("TALLY_TOKEN")), Duration.ofSeconds(30));
        client.webhooks().register(Destination.parse("member:admin"), URI.create("http://127.0.0.1:1/"));
        NewMessage message = NewMessage.toMember("admin", Json.of("x"));
        String id = client.messages()
                .send(message, new IdempotencyKey("cli:60"))
                .message()
                .toString();

        String call = Eventually.value(
                "a private address is not called",
                () -> tally("deadletter", "calls").out(),
                list -> list.contains(id));

        assertThat(call).contains("http://127.0.0.1:1/", "not public");
        String webhook = call.split("\\s+")[2];
        assertThat(tally("deadletter", "call", "--webhook", webhook, "--message", id)
                        .out())
                .isEqualTo("webhook " + webhook + " is called again for message " + id + "\n");
        assertThat(tally("deadletter", "call", "--webhook", webhook, "--message", webhook)
                        .exitCode())
                .isEqualTo(ExitCode.NOT_FOUND.code());
    }

    @Test
    void schedules_are_kept_paused_triggered_and_deleted() {
        Run kept = tally(
                "schedule",
                "put",
                "nightly",
                "sample.order",
                "--cron",
                "0 3 * * *",
                "--zone",
                "Europe/Berlin",
                "--input",
                "{\"order\":\"n\"}");

        assertThat(kept.out()).as(kept.err()).startsWith("schedule nightly fires next at ");
        assertThat(tally("schedule", "ls").out()).contains("nightly", "0 3 * * *", "Europe/Berlin");
        assertThat(tally("schedule", "pause", "nightly").exitCode()).isZero();
        assertThat(tally("schedule", "ls").out()).contains("paused");
        assertThat(tally("schedule", "resume", "nightly").out()).contains("fires next at");
        assertThat(tally("schedule", "trigger", "nightly", "--key", "cli:40").out())
                .endsWith(", started\n");
        assertThat(tally("schedule", "trigger", "nightly", "--key", "cli:40").out())
                .endsWith(", started before\n");
        assertThat(json(tally("schedule", "show", "nightly", "--json"))).containsKey("input");
        assertThat(tally("schedule", "delete", "nightly").exitCode()).isZero();
        assertThat(tally("schedule", "delete", "nightly").exitCode()).isEqualTo(ExitCode.NOT_FOUND.code());
        assertThat(tally("schedule", "put", "odd", "sample.order", "--cron", "soon")
                        .exitCode())
                .isEqualTo(ExitCode.USAGE.code());
    }

    @Test
    void tasks_are_claimed_handed_on_and_answered() {
        String job = submit("sample.review", "cli:50");
        String task = Eventually.value(
                        "the reviewers are asked",
                        () -> tally("task", "ls", "--group", "reviewers").out(),
                        list -> !list.isBlank())
                .split(" ", 2)[0];

        assertThat(tally("task", "claim", task, "--person", "ann").exitCode()).isZero();
        assertThat(tally("task", "ls", "--person", "ann").out()).contains(task);
        assertThat(tally("task", "claim", task).exitCode()).as("it is ann's").isEqualTo(ExitCode.CONFLICT.code());
        assertThat(tally("task", "release", task, "--person", "ann").exitCode()).isZero();
        assertThat(tally("task", "escalate", task, "--to", "chiefs").out()).endsWith("is with chiefs\n");
        assertThat(tally("task", "resolve", task, "--answer", "{\"by\":\"bob\"}", "--key", "form:1")
                        .out())
                .endsWith("is answered\n");
        assertThat(tally("task", "resolve", task, "--answer", "{\"by\":\"bob\"}", "--key", "form:1")
                        .out())
                .endsWith("already has this answer\n");
        assertThat(json(tally("task", "show", task, "--json"))).containsKey("over");
        assertThat(tally("job", "result", job, "--wait", "30").out()).contains("approved by bob");
    }

    @Test
    void a_graph_is_deployed_listed_shown_and_run() throws IOException {
        Path file = data.resolve("drawn.yaml");
        String yaml = "workflow: drawn\nnodes:\n  asked:\n    kind: trigger\noutput: \"'drawn'\"\n";
        Files.writeString(file, yaml);

        assertThat(tally("workflow", "deploy", file.toString()).out()).isEqualTo("drawn version 1 is deployed\n");
        assertThat(tally("workflow", "deploy", file.toString()).out())
                .isEqualTo("drawn version 1 was deployed before\n");
        assertThat(tally("workflow", "ls").out()).containsPattern("drawn +1 +graph");
        assertThat(tally("workflow", "show", "drawn").out()).isEqualTo(yaml);
        assertThat(tally("submit", "drawn", "--wait").out()).isEqualTo("drawn\n");
        Files.writeString(file, yaml.replace("'drawn'", "'redrawn'"));
        assertThat(tally("workflow", "deploy", file.toString()).exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        Files.writeString(file, "workflow: drawn\n");
        Run broken = tally("workflow", "deploy", file.toString());
        assertThat(broken.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(broken.err().lines().findFirst())
                .hasValueSatisfying(line -> assertThat(line).contains("drawn.yaml", "there are no nodes"));
        assertThat(tally("workflow", "remove", "drawn", "--version-number", "1").out())
                .isEqualTo("drawn version 1 is removed; its open jobs run to their end\n");
        assertThat(tally("submit", "drawn").exitCode()).isEqualTo(ExitCode.NOT_FOUND.code());
        assertThat(tally("workflow", "remove", "drawn", "--version-number", "7").exitCode())
                .isEqualTo(ExitCode.NOT_FOUND.code());
        assertThat(tally("workflow", "show", "nowhere").exitCode()).isEqualTo(ExitCode.NOT_FOUND.code());
    }

    @Test
    void devices_are_registered_rotated_and_revoked() {
        String key = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
        String other = "PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=";

        assertThat(tally("device", "register", "laptop", "--public-key", key).out())
                .isEqualTo("device laptop is registered\n");
        assertThat(tally("device", "rotate", "laptop", "--public-key", other, "--replaces", key)
                        .exitCode())
                .isZero();
        assertThat(tally("device", "ls").out()).contains("laptop", other);
        assertThat(tally("device", "revoke", "laptop").exitCode()).isZero();
        assertThat(tally("device", "ls").out()).contains("revoked");
        assertThat(tally("device", "register", "laptop", "--public-key", other).exitCode())
                .isEqualTo(ExitCode.CONFLICT.code());
    }

    @Test
    void meshes_members_topics_and_keys_are_looked_after() {
        assertThat(tally("mesh", "create", "partners").out()).isEqualTo("mesh partners is created\n");
        assertThat(tally("mesh", "ls").out()).contains("default\n", "partners\n");
        assertThat(tally("mesh", "token", "partners").out()).startsWith("tally_");
        assertThat(tally("member", "put", "shop", "--role", "member").out()).contains("is added");
        assertThat(tally("member", "ls").out()).contains("shop");
        String token = tally("member", "token", "shop", "--valid", "60").out();
        assertThat(token).startsWith("tally_");
        assertThat(tally("member", "tokens", "shop").out()).contains(token.split("_", 3)[1], "valid until 2");
        assertThat(tally("member", "revoke", token.split("_", 3)[1]).exitCode()).isZero();
        assertThat(tally("member", "tokens", "shop").out()).contains("revoked 2");
        assertThat(tally("topic", "create", "alerts").out()).contains("is created");
        assertThat(tally("topic", "subscribe", "alerts", "shop").exitCode()).isZero();
        assertThat(tally("topic", "ls").out()).isEqualTo("alerts\n");
        assertThat(tally("topic", "delete", "alerts").exitCode()).isZero();
        assertThat(tally("member", "remove", "shop").exitCode()).isZero();
        assertThat(tally("member", "remove", "shop").exitCode()).isEqualTo(ExitCode.NOT_FOUND.code());
    }

    @Test
    void a_key_is_reserved_and_settled() {
        Map<String, Json> reserved =
                json(tally("key", "reserve", "backup:1", "--fingerprint", "ab".repeat(32), "--json"));
        String id = text(reserved, "reservation_id");

        assertThat(tally("key", "reserve", "backup:1", "--fingerprint", "cd".repeat(32))
                        .exitCode())
                .isEqualTo(ExitCode.CONFLICT.code());
        assertThat(tally("key", "commit", "backup:1", "--reservation", id, "--response", "\"done\"")
                        .exitCode())
                .isZero();
        assertThat(tally("key", "reserve", "backup:1", "--fingerprint", "ab".repeat(32))
                        .out())
                .contains("done");
    }

    @Test
    void a_pending_key_shows_what_settles_it_and_an_admin_resolves_it() {
        String[] reserve = {"key", "reserve", "backup:2", "--fingerprint", "ab".repeat(32), "--json"};
        String id = text(json(tally(reserve)), "reservation_id");

        Run again = tally(reserve);

        assertThat(again.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(((Json.ObjectValue) Json.parse(again.out())).members())
                .containsEntry("status", Json.of("pending"))
                .containsEntry("reservation_id", Json.of(id))
                .containsEntry("fence", Json.of(1))
                .containsKey("since");
        assertThat(tally("key", "ls").out())
                .contains("pending  admin  backup:2  reservation " + id + "  fence 1  member admin");
        assertThat(tally("key", "show", "nowhere").exitCode()).isEqualTo(ExitCode.NOT_FOUND.code());
        String[] resolve = {"key", "resolve", "backup:2", "--member", "admin", "--reservation", id, "--as", "rejected"};
        assertThat(tally(resolve).out()).contains("rejected");
        assertThat(tally("key", "show", "backup:2").out()).contains("fence 2  operator admin");
        assertThat(tally("key", "commit", "backup:2", "--reservation", id).exitCode())
                .isEqualTo(ExitCode.CONFLICT.code());
    }

    @Test
    void orphans_are_looked_for() {
        assertThat(tally("orphans").out()).contains("no orphaned rows");
        assertThat(tally("orphans", "--json").out()).contains("{\"kinds\":[],\"total\":0}");
    }

    @Test
    void an_invalid_address_or_token_is_wrong_usage() {
        Map<String, String> elsewhere = new HashMap<>(environment);
        elsewhere.put("TALLY_SERVER", "localhost:7070");
        Map<String, String> broken = new HashMap<>(environment);
        broken.put("TALLY_TOKEN", "geheim\nzwei");

        Run address = Run.tally(elsewhere, "job", "ls");
        Run token = Run.tally(broken, "job", "ls");

        assertThat(address.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(address.err()).contains("http://HOST:PORT");
        assertThat(token.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(token.err()).contains("TALLY_TOKEN").doesNotContain("geheim");
    }
}
