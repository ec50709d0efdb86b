package dev.tallystick.cli.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.cli.Run;
import dev.tallystick.cli.Tally;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ServerConnection;
import dev.tallystick.core.Json;
import dev.tallystick.daemon.Daemon;
import dev.tallystick.daemon.DaemonSettings;
import dev.tallystick.daemon.inbox.Inbox;
import dev.tallystick.daemon.inbox.InboxEvent;
import dev.tallystick.daemon.local.LocalClient;
import dev.tallystick.testkit.Eventually;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands about a daemon, with a real one in a process of its own and no server. */
class DaemonCommandTest {

    private static final String NOWHERE = "http://127.0.0.1:1";

    @TempDir
    Path folder;

    private Path directory;
    private Map<String, String> environment;

    @BeforeEach
    void prepare() {
        directory = folder.resolve("d");
        environment =
                Map.of("TALLY_DAEMON_DIR", directory.toString(), "TALLY_TOKEN", "none", "HOME", folder.toString());
    }

    @AfterEach
    void stop() {
        Run unused = tally("daemon", "stop");
    }

    @Test
    void a_daemon_is_started_asked_and_stopped() throws IOException {
        Run started = tally("daemon", "start", "--server", NOWHERE, "--no-inbox");
        assertThat(started.exitCode()).as(started.err()).isZero();
        assertThat(started.out()).startsWith("accepting in " + directory);

        Run second = tally("daemon", "start", "--foreground");
        assertThat(second.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(second.err()).contains("already uses");
        Run beside = tally("daemon", "start");
        assertThat(beside.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(beside.err()).contains("already runs");

        String row = send("k1", "hello");
        Run status = tally("daemon", "status");
        assertThat(status.exitCode()).as("it forwards nothing").isEqualTo(ExitCode.UNKNOWN_OUTCOME.code());
        assertThat(status.out()).startsWith("offline: ").contains("kept here: 1 pending");
        assertThat(tally("outbox", "ls").out())
                .contains(row)
                .contains("pending")
                .contains("k1");
        assertThat(tally("outbox", "ls", "--key", "k1", "--json").out()).contains("\"client_message_id\":\"k1\"");

        Run requeued = tally("outbox", "requeue", row, "--new-client-id", "k2");
        assertThat(requeued.exitCode()).as(requeued.err()).isZero();
        assertThat(requeued.out()).startsWith("kept here as row ").contains("k2");
        assertThat(tally("outbox", "requeue", row, "--auto").exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(tally("outbox", "inspect", row, "--json").out())
                .contains("\"status\":\"aborted\"")
                .contains("\"aborted_by\":\"operator\"")
                .contains("\"chain\":[{")
                .contains("\"client_message_id\":\"k2\"");
        assertThat(tally("outbox", "inspect", "nothing").exitCode()).isEqualTo(ExitCode.NOT_FOUND.code());
        assertThat(tally("outbox", "check").out()).startsWith("whole: 2 rows");
        assertThat(tally("inbox", "ls").out()).startsWith("no messages");

        Run rotated = tally("daemon", "rotate-key", "--grace", "60");
        assertThat(rotated.exitCode()).as(rotated.err()).isZero();
        assertThat(rotated.out()).startsWith("kept here: ");
        assertThat(tally("daemon", "status").out()).contains("the server does not have");
        assertThat(tally("daemon", "rotate-key", "--grace", "-1").exitCode()).isEqualTo(ExitCode.USAGE.code());

        assertThat(tally("daemon", "stop").exitCode()).isZero();
        Run gone = tally("daemon", "status");
        assertThat(gone.exitCode()).isEqualTo(ExitCode.NOT_FOUND.code());
        assertThat(gone.err()).contains("tally daemon start");
        assertThat(tally("daemon", "logs").exitCode()).isZero();
        assertThat(Files.readString(directory.resolve(DaemonStart.CONFIGURATION)))
                .contains(NOWHERE);
    }

    @Test
    void the_tail_of_the_inbox_prints_events_as_they_come_until_the_daemon_stops() throws Exception {
        StringWriter out = new StringWriter();
        FutureTask<Integer> tail;
        DaemonSettings settings =
                DaemonSettings.of(directory, URI.create(NOWHERE), () -> "none").receiving(false);
        try (Daemon daemon = Daemon.start(settings)) {
            add(daemon, "first");
            add(daemon, "second");
            long position = daemon.inbox().newest();
            tail = tail(out, position - 1);
            Eventually.holds("the second is printed", () -> out.toString().contains("second"));
            add(daemon, "third");
            Eventually.holds("the third is printed", () -> out.toString().contains("third"));
        }
        assertThat(tail.get(30, TimeUnit.SECONDS)).isZero();
        assertThat(out.toString().lines()).hasSize(2).allMatch(line -> line.startsWith("{"));
        assertThat(tally("inbox", "tail").exitCode()).isEqualTo(ExitCode.NOT_FOUND.code());
    }

    private static void add(Daemon daemon, String subject) {
        daemon.inbox().add(List.of(new Inbox.NewEvent(InboxEvent.Kind.DEAD, subject, "{\"id\":\"" + subject + "\"}")));
    }

    private FutureTask<Integer> tail(StringWriter out, long after) {
        FutureTask<Integer> tail = new FutureTask<>(() -> Tally.run(
                new PrintWriter(out, true),
                new PrintWriter(new StringWriter(), true),
                environment,
                "inbox",
                "tail",
                "--after",
                Long.toString(after)));
        Thread.ofPlatform().daemon().start(tail);
        return tail;
    }

    @Test
    void a_patched_payload_is_sent_instead_under_a_new_fingerprint() throws IOException {
        assertThat(tally("daemon", "start", "--server", NOWHERE, "--no-inbox").exitCode())
                .isZero();
        String row = send("k1", "hello");
        Path patch = Files.writeString(folder.resolve("patch.json"), "{\"better\":true}");

        Run requeued = tally("outbox", "requeue", row, "--patch-payload", patch.toString(), "--json");

        assertThat(requeued.exitCode()).as(requeued.err()).isZero();
        String successor = text(requeued.out(), "id");
        String before = tally("outbox", "inspect", row, "--json").out();
        String after = tally("outbox", "inspect", successor, "--json").out();
        assertThat(after).contains("\"better\":true");
        assertThat(text(after, "request_fingerprint")).isNotEqualTo(text(before, "request_fingerprint"));
    }

    @Test
    void a_damaged_outbox_keeps_the_daemon_from_starting_and_can_be_salvaged() throws IOException {
        assertThat(tally("daemon", "start", "--server", NOWHERE, "--no-inbox").exitCode())
                .isZero();
        for (int i = 0; i < 50; i++) {
            String unused = send("k" + i, "x".repeat(500));
        }
        assertThat(tally("daemon", "stop").exitCode()).isZero();
        try (RandomAccessFile file =
                new RandomAccessFile(directory.resolve("outbox.db").toFile(), "rw")) {
            file.seek(file.length() / 2 / 4096 * 4096);
            file.write(new byte[4096]);
        }

        Run start = tally("daemon", "start", "--server", NOWHERE);
        assertThat(start.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(start.err()).contains("tally outbox salvage");
        assertThat(tally("outbox", "check").exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        Path rows = folder.resolve("rows.jsonl");
        assertThat(tally("outbox", "salvage", "--to", rows.toString()).exitCode())
                .isZero();
        List<String> lines = Files.readAllLines(rows);
        assertThat(lines).hasSizeBetween(20, 50).allMatch(line -> line.contains("\"client_message_id\":\"k"));
    }

    @Test
    void a_start_says_what_to_do_about_a_configuration_that_it_cannot_read() throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve(DaemonStart.CONFIGURATION), "{\"server\":");

        Run start = tally("daemon", "start", "--foreground");

        assertThat(start.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(start.err()).contains(DaemonStart.CONFIGURATION, "start with --server");
    }

    @Test
    void the_unit_for_systemd_names_this_java_and_does_not_loop() {
        Run unit = tally("daemon", "install", "--print");
        assertThat(unit.exitCode()).isZero();
        assertThat(unit.out())
                .contains(System.getProperty("java.home"))
                .contains("RestartPreventExitStatus=2 4")
                .contains("\"--dir\" \"" + directory + "\"");
    }

    @Test
    void a_daemon_that_could_deliver_nothing_is_not_installed() throws IOException {
        Run refused = tally("daemon", "install");
        assertThat(refused.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(refused.err()).contains("remembers no token file");

        Files.createDirectory(directory);
        Files.writeString(directory.resolve(DaemonStart.CONFIGURATION), "{\"token_file\":\"my.token\"}");
        Run installed = tally("daemon", "install");
        assertThat(installed.exitCode()).as(installed.err()).isZero();
        assertThat(installed.out()).contains("systemctl --user enable --now tally-daemon");
        assertThat(folder.resolve(".config/systemd/user/tally-daemon.service"))
                .content()
                .contains("\"--foreground\"", "\"--dir\" \"" + directory + "\"");
    }

    @Test
    void the_end_of_a_log_is_shown_whatever_is_in_it_and_a_large_one_is_put_aside() throws IOException {
        Files.createDirectories(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path log = directory.resolve("daemon.log");
        byte[] large = new byte[5 << 20];
        Arrays.fill(large, (byte) 0xff);
        Files.write(log, large);
        Files.setPosixFilePermissions(log, PosixFilePermissions.fromString("rw-------"));
        Files.writeString(log, "\nlast but one\nlast\n", StandardOpenOption.APPEND);

        assertThat(tally("daemon", "logs", "--lines", "2").out()).isEqualTo("last but one\nlast\n");
        assertThat(tally("daemon", "start", "--server", NOWHERE, "--no-inbox").exitCode())
                .isZero();
        assertThat(Files.size(log)).isLessThan(1 << 20);
        assertThat(Files.size(directory.resolve("daemon.log.1"))).isGreaterThan(5 << 20);
    }

    private String send(String key, String text) throws IOException {
        try (LocalClient client = LocalClient.to(directory)) {
            Json.ObjectValue body = new Json.ObjectValue(Map.of("to", Json.of("topic:a"), "message", Json.of(text)));
            assertThat(client.ask("POST", "/v1/send", body.canonical(), Map.of("Idempotency-Key", key))
                            .status())
                    .isEqualTo(202);
            String rows = client.get("/v1/outbox?key=" + key).body();
            return rows.replaceFirst("(?s).*?\"id\":\"(\\w+)\".*", "$1");
        }
    }

    private static String text(String json, String name) {
        return ServerConnection.words(
                ((Json.ObjectValue) Json.parse(json.strip())).members().get(name));
    }

    private Run tally(String... arguments) {
        return Run.tally(environment, arguments);
    }
}
