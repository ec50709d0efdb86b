package dev.tallystick.daemon.inbox;

import static dev.tallystick.daemon.DaemonUnderTest.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.client.Messages;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.daemon.Daemon;
import dev.tallystick.daemon.DaemonChild;
import dev.tallystick.daemon.DaemonUnderTest;
import dev.tallystick.daemon.OfflineTest;
import dev.tallystick.daemon.RealServer;
import dev.tallystick.daemon.hooks.Hooks;
import dev.tallystick.daemon.local.LocalServer;
import dev.tallystick.testkit.ChildJvm;
import dev.tallystick.testkit.Eventually;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What the daemon receives, tells local readers, and runs hooks for. */
class InboxTest {

    private static final Duration LEASE = Duration.ofSeconds(2);

    @RegisterExtension
    static final RealServer server = RealServer.perClass();

    @TempDir
    Path folder;

    private Path directory() {
        return folder.resolve("d");
    }

    private Daemon receiving(String token) {
        return Daemon.start(
                DaemonUnderTest.settings(directory(), server.address(), token).receiving(true));
    }

    @Test
    void messages_and_mentions_arrive_once_and_are_streamed_from_any_position() throws IOException {
        String token = server.member("reader");
        server.admin().topics().create("news");
        try (Daemon daemon = receiving(token)) {
            say(Messages.NewMessage.toMember("reader", Json.of("one")), "one");
            say(Messages.NewMessage.toMember("reader", Json.of("two")), "two");
            say(Messages.NewMessage.toTopic("news", Json.of("hey")).mentioning("reader"), "three");

            Eventually.holds(
                    "all arrive",
                    () -> events(daemon, InboxEvent.Kind.MESSAGE).size() == 2
                            && events(daemon, InboxEvent.Kind.MENTION).size() == 1);
            List<InboxEvent> messages = events(daemon, InboxEvent.Kind.MESSAGE);

            assertThat(streamed(messages.getFirst().position() - 1))
                    .startsWith("id: " + messages.getFirst().position());
            assertThat(streamed(messages.getFirst().position()))
                    .startsWith("id: ")
                    .doesNotStartWith("id: " + messages.getFirst().position() + "\n");
            assertThat(DaemonUnderTest.get(directory(), "/v1/inbox?limit=1")
                            .json()
                            .canonical())
                    .contains("\"message\":\"one\"");
        }
        try (Daemon daemon = receiving(token)) {
            say(Messages.NewMessage.toMember("reader", Json.of("four")), "four");
            Eventually.holds(
                    "it arrives", () -> events(daemon, InboxEvent.Kind.MESSAGE).size() == 3);
            assertThat(events(daemon, InboxEvent.Kind.MENTION)).hasSize(1);
            assertThat(daemon.inbox().cursor("mentions"))
                    .as("where it continues")
                    .isPositive();
        }
    }

    @Test
    void hooks_run_within_their_limits_and_leave_a_line() throws IOException {
        String token = server.member("hooked");
        Files.createDirectory(
                directory(), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path hooks = Files.createDirectory(directory().resolve(Hooks.DIRECTORY));
        server.admin().topics().create("hooks");
        Path seen = folder.resolve("seen");
        hook(
                hooks.resolve("on-message"),
                "cat > " + seen + "; env > " + folder.resolve("env") + "; yes | head -c 100000; exit 3");
        hook(hooks.resolve("on-topic-hooks"), "cat > " + folder.resolve("topic"));
        hook(hooks.resolve("on-mention"), "cat > " + folder.resolve("mention"));
        hook(hooks.resolve("on-dead"), "echo $$ > " + folder.resolve("dead") + "; sleep 600");
        Files.setPosixFilePermissions(
                hook(hooks.resolve("on-delivery"), "echo no >> " + folder.resolve("unsafe")),
                PosixFilePermissions.fromString("rwxrwxrwx"));

        new TallyClient(server.address(), token).topics().subscribe("hooks", "hooked");
        say(Messages.NewMessage.toTopic("hooks", Json.of("run")).mentioning("hooked"), "hooked:1");

        try (Daemon daemon = Daemon.start(DaemonUnderTest.settings(directory(), server.address(), token)
                .receiving(true)
                .withHookLimit(Duration.ofSeconds(1)))) {
            assertThat(DaemonUnderTest.send(directory(), "k", message("topic:nowhere", "x"))
                            .status())
                    .isEqualTo(202);

            Path log = directory().resolve(Hooks.LOG_FILE);
            Eventually.holds(
                    "all hooks have run",
                    () -> Files.exists(log)
                            && Stream.of("on-message", "on-topic-hooks", "on-mention", "on-dead", "on-delivery")
                                    .allMatch(name -> read(log).contains("\"hook\":\"" + name + "\"")));
            for (String event : List.of("seen", "topic", "mention")) {
                assertThat(folder.resolve(event)).content().contains("\"message\":\"run\"");
            }
            assertThat(Files.readAllLines(folder.resolve("env")))
                    .contains("TALLY_EVENT=message")
                    .allMatch(
                            line -> line.matches("(PATH|HOME|LANG|LC_ALL|TZ|USER|TALLY_[A-Z]+|PWD|OLDPWD|SHLVL|_)=.*"));
            assertThat(read(log))
                    .contains("\"exit_code\":3")
                    .contains("only you can write")
                    .contains("it ran longer than 1 s");
            long late = Long.parseLong(read(folder.resolve("dead")).strip());
            Eventually.holds(
                    "the late one is gone", () -> ProcessHandle.of(late).isEmpty());
            assertThat(Files.size(log)).isLessThan(60_000);
            assertThat(folder.resolve("unsafe")).doesNotExist();
            assertThat(daemon.status().health().details().members().get("dead")).isEqualTo(Json.of(1));
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void a_daemon_that_slept_longer_than_its_leases_doubles_nothing() {
        String token = server.member("sleeper");
        server.admin().topics().create("sleep");
        try (ChildJvm child = ChildJvm.of(DaemonChild.class)
                .start(directory().toString(), server.address().toString(), token, "true")) {
            child.awaitLine(DaemonChild.READY::equals);
            for (int i = 0; i < 50; i++) {
                assertThat(DaemonUnderTest.send(directory(), "s" + i, message("topic:sleep", "x"))
                                .status())
                        .isEqualTo(202);
            }
            child.pause();
            say(Messages.NewMessage.toMember("sleeper", Json.of("while asleep")), "sleeper:1");
            long asleep = System.nanoTime();
            Eventually.holds(
                    "leases have expired",
                    () -> System.nanoTime() - asleep > LEASE.plusMillis(500).toNanos());
            child.resume();

            OfflineTest.awaitNothingKept(directory());
            Eventually.holds(
                    "the message is here",
                    () -> DaemonUnderTest.get(directory(), "/v1/inbox").body().contains("while asleep"));
            Eventually.holds("the message is acknowledged", () -> server.isAcknowledged("sleeper:1"));
            assertThat(DaemonUnderTest.get(directory(), "/v1/inbox").body().split("while asleep", -1))
                    .hasSize(2);
        }
        assertThat(server.history("sleep")).hasSize(50).doesNotHaveDuplicates();
    }

    private static List<InboxEvent> events(Daemon daemon, InboxEvent.Kind kind) {
        return daemon.inbox().after(0, kind, 100);
    }

    private static void say(Messages.NewMessage message, String key) {
        Messages.Sent unused = server.admin().messages().send(message, new IdempotencyKey(key));
    }

    /** The first event of the stream after a position. */
    private String streamed(long after) throws IOException {
        try (SocketChannel channel =
                SocketChannel.open(UnixDomainSocketAddress.of(directory().resolve(LocalServer.SOCKET)))) {
            channel.write(ByteBuffer.wrap(("GET /v1/events HTTP/1.1\r\nLast-Event-ID: " + after + "\r\n\r\n")
                    .getBytes(StandardCharsets.UTF_8)));
            BufferedReader in = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
            for (String line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
                assertThat(line).isNotNull();
            }
            return in.readLine() + "\n" + in.readLine();
        }
    }

    private static Path hook(Path file, String script) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }
}
