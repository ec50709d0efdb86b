package dev.tallystick.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The client of a daemon, against a script in its place. */
@Timeout(60)
class DaemonClientTest {

    private static final Duration BRIEFLY = Duration.ofMillis(150);
    private static final IdempotencyKey KEY = new IdempotencyKey("order:42");
    private static final UUID ID = UUID.fromString("00000000-0000-7000-8000-000000000000");
    private static final Messages.NewMessage HELLO = Messages.NewMessage.toTopic("alerts", Json.of("hello"));

    @TempDir
    Path directory;

    private DaemonClient client;
    private DaemonClient hasty;

    @BeforeEach
    void client() {
        client = TallyClient.throughDaemon(directory, Duration.ofSeconds(10));
        hasty = TallyClient.throughDaemon(directory, BRIEFLY);
    }

    /** What is done to a caller, once its request was read. */
    private interface Turn {
        void play(SocketChannel caller) throws IOException;
    }

    /** Listens on the daemon's socket, and does to each caller in turn what the script says; the last for all that follow. */
    private final class Script implements AutoCloseable {

        private final ServerSocketChannel socket;
        private final List<Turn> turns;
        private final List<String> requests = new CopyOnWriteArrayList<>();

        Script(Turn... turns) throws IOException {
            this.turns = List.of(turns);
            this.socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            socket.bind(UnixDomainSocketAddress.of(directory.resolve("daemon.sock")));
            Thread.ofVirtual().start(this::serve);
        }

        private void serve() {
            try {
                for (int number = 0; ; number++) {
                    try (SocketChannel caller = socket.accept()) {
                        requests.add(read(caller));
                        turns.get(Math.min(number, turns.size() - 1)).play(caller);
                    }
                }
            } catch (IOException closed) {
                // The test is over.
            }
        }

        /** Each request ends with a brace, or with its head. */
        private static String read(SocketChannel caller) throws IOException {
            ByteBuffer buffer = ByteBuffer.allocate(64 * 1024);
            String text = "";
            while (!text.endsWith("}") && !text.startsWith("GET")) {
                if (caller.read(buffer) < 0) {
                    throw new IOException("the caller is gone");
                }
                text = new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8);
            }
            return text;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static Turn say(String bytes) {
        return caller -> caller.write(ByteBuffer.wrap(bytes.getBytes(StandardCharsets.UTF_8)));
    }

    private static Turn answer(int status, String type, String body) {
        return say("HTTP/1.1 " + status + " Said\r\nContent-Type: " + type + "\r\nContent-Length: " + body.length()
                + "\r\n\r\n" + body);
    }

    private static Turn json(int status, String body) {
        return answer(status, "application/json", body);
    }

    @Test
    void what_the_daemon_keeps_is_kept_here() throws Exception {
        try (Script daemon = new Script(
                json(202, "{\"client_message_id\":\"order:42\",\"status\":\"queued\"}"),
                json(202, "{\"client_message_id\":\"order:42\",\"status\":\"inflight\"}"))) {
            assertThat(client.send(HELLO, KEY))
                    .isEqualTo(new DaemonClient.Handed.KeptHere(KEY, DaemonClient.Status.QUEUED));
            assertThat(client.submit(TallyClient.NewJob.of("order", Json.of(1)).withVersion(2), KEY))
                    .isEqualTo(new DaemonClient.Handed.KeptHere(KEY, DaemonClient.Status.INFLIGHT));

            assertThat(client.isRunning()).isTrue();
            assertThat(daemon.requests.getFirst())
                    .startsWith("POST /v1/send HTTP/1.1\r\n")
                    .contains("\r\nHost: localhost\r\n", "\r\nIdempotency-Key: order:42\r\n")
                    .contains("\"message\":\"hello\"", "\"to\":\"topic:alerts\"");
            assertThat(daemon.requests.get(1))
                    .startsWith("POST /v1/jobs HTTP/1.1\r\n")
                    .contains("\"version\":2", "\"workflow\":\"order\"");
        }
    }

    @Test
    void what_the_daemon_knows_to_be_accepted_is_accepted_there() throws Exception {
        try (Script daemon = new Script(json(
                200,
                "{\"client_message_id\":\"order:42\",\"duplicate\":true,\"broker_message_id\":\"" + ID
                        + "\",\"history_id\":\"" + ID + "\"}"))) {
            assertThat(client.send(HELLO, KEY)).isEqualTo(new DaemonClient.Handed.AcceptedThere(KEY, ID, ID));
            assertThat(daemon.requests).hasSize(1);
        }
    }

    @Test
    void a_refusal_says_why_and_proves_nothing_about_a_lost_answer() throws Exception {
        Turn refuse = answer(
                409,
                "application/problem+json",
                "{\"type\":\"urn:tallystick:problem:idempotency_key_reused\",\"code\":\"idempotency_key_reused\","
                        + "\"detail\":\"d\",\"conflict\":\"outbox_dead_fingerprint_match\"}");
        try (Script daemon = new Script(refuse, caller -> {}, refuse)) {
            assertThatThrownBy(() -> client.submit(TallyClient.NewJob.of("order", Json.of(1)), KEY))
                    .isInstanceOfSatisfying(
                            RefusedException.class,
                            refused -> assertThat(refused.member("conflict"))
                                    .contains(Json.of("outbox_dead_fingerprint_match")));
            assertThatThrownBy(() -> client.submit(TallyClient.NewJob.of("order", Json.of(1)), KEY))
                    .isInstanceOf(OutcomeUnknownException.class);
            assertThat(daemon.requests).hasSize(3);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 202 Acc",
                "HTTP/1.1 202 Accepted\r\nContent-Length: 10\r\n\r\n{}",
                "HTTP/1.1 202 Accepted\nContent-Length: 2\n\n{}",
                "HTTP/1.0 202 Accepted\r\nContent-Length: 2\r\n\r\n{}",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n{}",
                "HTTP/1.1 202 Accepted\r\n\r\n{}",
                "HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
                "HTTP/1.1 202 Accepted\r\nContent-Length: -2\r\n\r\n{}",
                "HTTP/1.1 202 Accepted\r\nContent-Length: 99999999999999\r\n\r\n{}",
                "HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
                "HTTP/1.1 202 Accepted\r\nContent-Length : 2\r\n\r\n{}",
                "HTTP/1.1 202 Accepted\r\n Content-Length: 2\r\n\r\n{}",
                "HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
                "HTTP/1.1 204 No Content\r\n\r\n"
            })
    void an_answer_that_is_not_the_daemons_leaves_the_outcome_unknown(String answer) throws Exception {
        try (Script daemon = new Script(say(answer))) {
            assertThatThrownBy(() -> hasty.send(HELLO, KEY))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("order:42");
            assertThat(daemon.requests).isNotEmpty();
        }
    }

    @Test
    void a_head_without_an_end_is_given_up() throws Exception {
        try (Script daemon = new Script(say("HTTP/1.1 202 Accepted\r\nX: " + "x".repeat(100_000)))) {
            assertThatThrownBy(() -> hasty.send(HELLO, KEY))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("too long");
            assertThat(daemon.requests).isNotEmpty();
        }
    }

    @Test
    void a_daemon_that_falls_silent_is_not_waited_for_and_its_connection_is_closed() throws Exception {
        CountDownLatch gone = new CountDownLatch(1);
        try (Script daemon = new Script(caller -> {
            if (caller.read(ByteBuffer.allocate(1)) < 0) {
                gone.countDown();
            }
        })) {
            assertThatThrownBy(() -> hasty.send(HELLO, KEY)).isInstanceOf(OutcomeUnknownException.class);
            gone.await();
            assertThat(daemon.requests).isNotEmpty();
        }
    }

    @Test
    void without_a_daemon_nothing_happened() throws Exception {
        assertThat(hasty.isRunning()).isFalse();
        assertThatThrownBy(() -> hasty.send(HELLO, KEY))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("no daemon answers at " + directory);
        Files.writeString(directory.resolve("daemon.sock"), "no socket");
        assertThatThrownBy(() -> hasty.send(HELLO, KEY)).isInstanceOf(UnavailableException.class);
        assertThatThrownBy(() -> TallyClient.throughDaemon(directory.resolve("x".repeat(120)), BRIEFLY)
                        .send(HELLO, KEY))
                .isInstanceOf(UnavailableException.class);
    }

    @Test
    void a_socket_that_others_could_have_put_there_is_not_used() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwx---"));
        try (Script daemon = new Script(json(202, "{}"))) {
            assertThatThrownBy(() -> hasty.send(HELLO, KEY))
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageContaining("chmod 700");
            assertThat(daemon.requests).isEmpty();
        }
    }
}
