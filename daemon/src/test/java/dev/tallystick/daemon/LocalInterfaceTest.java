package dev.tallystick.daemon;

import static dev.tallystick.daemon.DaemonUnderTest.message;
import static dev.tallystick.daemon.DaemonUnderTest.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.Json;
import dev.tallystick.daemon.inbox.Inbox;
import dev.tallystick.daemon.inbox.InboxEvent;
import dev.tallystick.daemon.local.LocalClient;
import dev.tallystick.daemon.local.LocalServer;
import dev.tallystick.testkit.Eventually;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What comes over the socket and the port is bounded and checked, and so is the directory. */
class LocalInterfaceTest {

    @TempDir
    Path folder;

    private Path directory() {
        return folder.resolve("d");
    }

    @Test
    void a_key_may_come_in_the_header_or_in_the_body_but_not_as_two() {
        try (Daemon daemon = DaemonUnderTest.offline(directory())) {
            Json.ObjectValue withKey = new Json.ObjectValue(
                    Map.of("to", Json.of("topic:a"), "message", Json.of("x"), "client_message_id", Json.of("k")));

            assertThat(DaemonUnderTest.send(directory(), "\"k\"", withKey).status())
                    .isEqualTo(202);
            LocalClient.Reply both = DaemonUnderTest.send(directory(), "other", withKey);
            assertThat(both.status()).isEqualTo(400);
            assertThat(text(both, "code")).isEqualTo("idempotency_key_refused");
            LocalClient.Reply minted = DaemonUnderTest.post(directory(), "/v1/send", message("topic:a", "y"));
            assertThat(text(minted, "client_message_id")).matches("[0-9A-Z]{26}");
            assertThat(daemon.outbox().list(null, 0, 10)).hasSize(2);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|malformed_request",
                "[]|malformed_request",
                "{\"to\":\"topic:a\"}|malformed_request",
                "{\"to\":\"topic:a b\",\"message\":1}|malformed_request",
                "{\"to\":\"nowhere\",\"message\":1}|malformed_request",
                "{\"to\":\"topic:a\",\"message\":1,\"priority\":\"soon\"}|malformed_request",
                "{\"to\":\"topic:a\",\"message\":1,\"colour\":\"red\"}|malformed_request",
                "{\"to\":\"topic:a\",\"message\":1,\"reply_to\":\"1-1-1-1-1\"}|malformed_request",
                "{\"to\":\"topic:a\",\"message\":1,\"mentions\":[\"a,b\"]}|mentions_refused",
                "{\"to\":\"topic:a\",\"message\":1|malformed_json",
                "{\"to\":\"topic:a\",\"message\":9007199254740993}|malformed_json",
            })
    void a_request_that_can_never_be_sent_is_refused_and_its_key_stays_free(String body, String code)
            throws IOException {
        try (Daemon daemon = DaemonUnderTest.offline(directory());
                LocalClient client = LocalClient.to(directory())) {
            LocalClient.Reply refused = client.ask("POST", "/v1/send", body, Map.of("Idempotency-Key", "k"));
            assertThat(refused.status()).isEqualTo(400);
            assertThat(text(refused, "code")).isEqualTo(code);
            assertThat(DaemonUnderTest.send(directory(), "k", message("topic:a", "right"))
                            .status())
                    .isEqualTo(202);
            assertThat(daemon.outbox().list(null, 0, 10)).hasSize(1);
        }
    }

    @Test
    void a_message_that_no_server_would_take_is_refused_here() {
        try (Daemon daemon = DaemonUnderTest.offline(directory())) {
            LocalClient.Reply reply =
                    DaemonUnderTest.send(directory(), "big", message("topic:a", "x".repeat(1024 * 1024 + 1)));
            assertThat(text(reply, "code")).isEqualTo("payload_too_large");
            // Within the limit as text, but each character is escaped on the wire.
            LocalClient.Reply escaped =
                    DaemonUnderTest.send(directory(), "escaped", message("topic:a", "\u0001".repeat(400_000)));
            assertThat(text(escaped, "code")).isEqualTo("payload_too_large");
            assertThat(daemon.outbox().list(null, 0, 10)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /v1/health HTTP/1.0\r\n\r\n",
                "GET /v1/health HTTP/1.1\nHost: x\n\n",
                "GET http://x/v1/health HTTP/1.1\r\n\r\n",
                "GET /v1/health HTTP/1.1\r\nA: 1\r\na: 2\r\n\r\n",
                "GET /v1/health HTTP/1.1\r\n folded: 1\r\n\r\n",
                "POST /v1/send HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST /v1/send HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                "POST /v1/send HTTP/1.1\r\nContent-Length: 999999999\r\n\r\n",
                "POST /v1/send HTTP/1.1\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n\r\n{}",
                "GET /v1/health HTTP/1.1\r\nOrigin: http://evil.example\r\n\r\n",
                "GET /v1/health?token=secret HTTP/1.1\r\n\r\n",
                "DELETE /v1/outbox HTTP/1.1\r\n\r\n",
                "GET /v2/health HTTP/1.1\r\n\r\n"
            })
    void what_is_not_a_request_of_ours_gets_a_problem_document(String request) throws IOException {
        try (Daemon daemon = DaemonUnderTest.offline(directory())) {
            String answer = raw(UnixDomainSocketAddress.of(directory().resolve(LocalServer.SOCKET)), request);
            assertThat(answer).matches("(?s)HTTP/1\\.1 (4|5)\\d\\d .*").contains("application/problem+json");
            assertThat(daemon.outbox().list(null, 0, 10)).isEmpty();
        }
    }

    @Test
    void a_line_without_end_is_cut_off() throws IOException {
        try (Daemon daemon = DaemonUnderTest.offline(directory())) {
            String answer = raw(
                    UnixDomainSocketAddress.of(directory().resolve(LocalServer.SOCKET)), "GET /" + "a".repeat(20_000));
            assertThat(answer).startsWith("HTTP/1.1 431 ");
            assertThat(daemon.tcpPort()).isZero();
        }
    }

    @Test
    void over_tcp_callers_need_the_token_and_the_right_host() throws IOException {
        DaemonSettings settings = DaemonUnderTest.settings(directory(), DaemonUnderTest.NOWHERE, "none")
                .withTcpPort(0);
        try (Daemon daemon = Daemon.start(settings)) {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), daemon.tcpPort());
            String token =
                    Files.readString(directory().resolve(Daemon.TOKEN_FILE)).strip();
            String host = "Host: 127.0.0.1:" + daemon.tcpPort() + "\r\n";
            String bearer = "Authorization: Bearer " + token + "\r\n";

            assertThat(raw(address, "GET /v1/version HTTP/1.1\r\n" + host + bearer + "Connection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 200 ");
            assertThat(raw(address, "GET /v1/version HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 401 ");
            assertThat(raw(
                            address,
                            "GET /v1/version HTTP/1.1\r\n" + host
                                    + "Authorization: Bearer x\r\nConnection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 401 ");
            assertThat(raw(
                            address,
                            "GET /v1/version HTTP/1.1\r\nHost: evil.example\r\n" + bearer
                                    + "Connection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 403 ");
            assertThat(raw(
                            address,
                            "GET /v1/version HTTP/1.1\r\n" + host + bearer
                                    + "Origin: null\r\nConnection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 403 ");
        }
    }

    @Test
    void more_requests_than_the_limit_are_refused_for_a_moment() throws IOException {
        try (Daemon daemon = DaemonUnderTest.offline(directory())) {
            List<SocketChannel> slow = new ArrayList<>();
            try {
                // A few more than the limit: the first probes may take the place of some.
                for (int i = 0; i < 70; i++) {
                    SocketChannel channel = SocketChannel.open(
                            UnixDomainSocketAddress.of(directory().resolve(LocalServer.SOCKET)));
                    write(channel, "POST /v1/send HTTP/1.1\r\nContent-Length: 10\r\n\r\n");
                    slow.add(channel);
                }
                LocalClient.Reply reply = Eventually.value(
                        "the daemon is busy",
                        () -> DaemonUnderTest.send(directory(), "k", message("topic:a", "x")),
                        answer -> answer.status() == 429);
                assertThat(text(reply, "code")).isEqualTo("daemon_busy");
                assertThat(reply.headers()).containsEntry("retry-after", "1");
            } finally {
                for (SocketChannel each : slow) {
                    each.close();
                }
            }
            Eventually.value(
                    "the daemon serves again",
                    () -> DaemonUnderTest.send(directory(), "k", message("topic:a", "x")),
                    answer -> answer.status() == 202);
            assertThat(daemon.outbox().list(null, 0, 10)).hasSize(1);
        }
    }

    @Test
    void more_streams_than_the_limit_are_refused_until_one_ends() throws IOException {
        try (Daemon daemon = DaemonUnderTest.offline(directory())) {
            List<SocketChannel> streams = new ArrayList<>();
            try {
                for (int i = 0; i < 32; i++) {
                    streams.add(stream());
                    assertThat(statusOf(streams.getLast())).isEqualTo("HTTP/1.1 200 OK");
                }
                try (SocketChannel refused = stream()) {
                    assertThat(new String(Channels.newInputStream(refused).readAllBytes(), UTF_8))
                            .startsWith("HTTP/1.1 429 ")
                            .contains("daemon_busy");
                }
                assertThat(DaemonUnderTest.send(directory(), "k", message("topic:a", "x"))
                                .status())
                        .as("requests are counted apart")
                        .isEqualTo(202);
                streams.getLast().close();
                // The daemon notices when it has something to write.
                daemon.inbox().add(List.of(new Inbox.NewEvent(InboxEvent.Kind.DEAD, "row", "{}")));
                Eventually.holds("there is room again", () -> {
                    try (SocketChannel next = stream()) {
                        return statusOf(next).equals("HTTP/1.1 200 OK");
                    }
                });
            } finally {
                for (SocketChannel each : streams) {
                    each.close();
                }
            }
        }
    }

    private SocketChannel stream() throws IOException {
        SocketChannel channel =
                SocketChannel.open(UnixDomainSocketAddress.of(directory().resolve(LocalServer.SOCKET)));
        write(channel, "GET /v1/events HTTP/1.1\r\n\r\n");
        return channel;
    }

    private static String statusOf(SocketChannel channel) throws IOException {
        return new BufferedReader(Channels.newReader(channel, UTF_8)).readLine();
    }

    @Test
    void a_second_daemon_does_not_start_in_the_same_directory() {
        try (Daemon daemon = DaemonUnderTest.offline(directory())) {
            assertThatThrownBy(() -> DaemonUnderTest.offline(directory()))
                    .isInstanceOfSatisfying(
                            DaemonStartException.class,
                            e -> assertThat(e.kind()).isEqualTo(DaemonStartException.Kind.IN_USE));
            assertThat(daemon.status().health().isHealthy())
                    .as("it has no server")
                    .isFalse();
        }
        DaemonUnderTest.offline(directory()).close();
    }

    @Test
    void a_socket_that_was_left_behind_is_replaced_but_one_that_answers_is_not() throws IOException {
        DaemonUnderTest.offline(directory()).close();
        Path socket = directory().resolve(LocalServer.SOCKET);
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.bind(UnixDomainSocketAddress.of(socket));
            assertThatThrownBy(() -> DaemonUnderTest.offline(directory()))
                    .isInstanceOf(DaemonStartException.class)
                    .hasMessageContaining("another process listens");
        }
        assertThat(socket).as("closing a channel leaves its file").exists();
        DaemonUnderTest.offline(directory()).close();

        Files.writeString(socket, "not a socket");
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
        assertThatThrownBy(() -> DaemonUnderTest.offline(directory())).hasMessageContaining("not a socket");
        assertThat(socket).hasContent("not a socket");
    }

    @Test
    void everything_in_the_directory_is_for_its_user_alone() throws IOException {
        try (Daemon daemon = DaemonUnderTest.offline(directory())) {
            assertThat(DaemonUnderTest.send(directory(), "k", message("topic:a", "x"))
                            .status())
                    .isEqualTo(202);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory())))
                    .isEqualTo("rwx------");
            try (var files = Files.list(directory())) {
                assertThat(files.toList())
                        .hasSizeGreaterThan(6)
                        .allSatisfy(
                                file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                                        .as(file.toString())
                                        .isEqualTo("rw-------"));
            }
            assertThat(daemon.tcpPort()).isZero();
        }
        Files.setPosixFilePermissions(directory().resolve("outbox.db"), PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> DaemonUnderTest.offline(directory())).hasMessageContaining("chmod 600");
        Files.setPosixFilePermissions(directory().resolve("outbox.db"), PosixFilePermissions.fromString("rw-------"));
        Files.setPosixFilePermissions(directory(), PosixFilePermissions.fromString("rwxr-x---"));
        assertThatThrownBy(() -> DaemonUnderTest.offline(directory())).hasMessageContaining("chmod 700");
    }

    @Test
    void links_in_place_of_the_directory_or_its_files_are_refused() throws IOException {
        DaemonUnderTest.offline(directory()).close();
        Path link = folder.resolve("link");
        Files.createSymbolicLink(link, directory());
        assertThatThrownBy(() -> DaemonUnderTest.offline(link)).hasMessageContaining("not a link");
        Files.move(directory().resolve("outbox.db"), folder.resolve("elsewhere.db"));
        Files.createSymbolicLink(directory().resolve("outbox.db"), folder.resolve("elsewhere.db"));
        assertThatThrownBy(() -> DaemonUnderTest.offline(directory())).hasMessageContaining("is a link");
    }

    private static String raw(SocketAddress address, String request) throws IOException {
        try (SocketChannel channel = SocketChannel.open(address)) {
            try {
                write(channel, request);
                channel.shutdownOutput();
            } catch (IOException e) {
                // It may answer and close before it has read everything.
            }
            return new String(Channels.newInputStream(channel).readAllBytes(), UTF_8);
        }
    }

    private static void write(SocketChannel channel, String text) throws IOException {
        ByteBuffer bytes = UTF_8.encode(text);
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }
}
