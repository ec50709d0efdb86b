package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.ChildJvm;
import dev.tallystick.testkit.TestPostgres;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a request ends: chunks, trailers, bodies that a route does not take, and connections that are to be closed. */
class FramingTest {

    private static final String CHUNKED = "GET /health/live HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    private static final String KEYED =
            "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nIdempotency-Key: k\r\nAuthorization: Bearer ";

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static ServerUnderTest server;

    @BeforeAll
    static void start() {
        server = ServerUnderTest.on(postgres, data);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** Without a token, and in all places where the web server itself looks for the end of a line. */
    @Test
    void endless_lines_do_not_exhaust_a_small_heap() throws IOException {
        Path own = Files.createDirectory(data.resolve("child"));
        try (ChildJvm child = ChildJvm.of(KilledServer.class)
                .with("-Xmx64m")
                .with("-XX:+ExitOnOutOfMemoryError")
                .start(postgres.url(), own.toString(), "0")) {
            URI address = URI.create(
                    child.awaitLine(line -> line.startsWith("ready ")).substring("ready ".length()));
            String token = ServerUnderTest.adminToken(own);
            String body = KEYED + token + "\r\nTransfer-Encoding: chunked\r\n\r\n";
            for (String beginning : new String[] {
                CHUNKED, body, body + "0\r\n", body + "0\r\nX-Trailer: ", "", "GET /", "GET / HTTP/1.1\r\nX-Long: "
            }) {
                long sent = sendWithoutEnd(address, beginning);

                assertThat(sent).as("bytes taken after '%s'", beginning).isLessThan(64L << 20);
                assertThat(child.isAlive()).isTrue();
            }
            assertThat(new Http(address, "").get("/health/ready").status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "zz\r\n",
                "-1\r\n",
                "ffffffffffffffff\r\n",
                "\r\n",
                "5;name=value\r\nabcde\r\n0\r\n\r\n",
                "0\r\nX-Trailer: y\r\n\r\n",
                "5\nabcde\r\n0\r\n\r\n",
                "5\rabcde\r\n0\r\n\r\n",
                "2\r\n{}XX0\r\n\r\n",
            })
    void malformed_chunks_are_answered_with_400(String chunks) throws IOException {
        String head = KEYED + server.admin().token() + "\r\nTransfer-Encoding: chunked\r\n\r\n";

        String reply = answerTo(head + chunks);

        assertThat(reply).startsWith("HTTP/1.1 400 ").contains("malformed_request");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100})
    void headers_that_are_too_large_are_answered_with_431(int number) throws IOException {
        String header = ": " + "y".repeat(40_000 / number) + "\r\n";
        StringBuilder request = new StringBuilder("GET /health/live HTTP/1.1\r\nHost: x\r\n");
        for (int i = 0; i < number; i++) {
            request.append("X-Large-").append(i).append(header);
        }

        String reply = answerTo(request + "\r\n");

        assertThat(reply)
                .startsWith("HTTP/1.1 431 ")
                .contains("application/problem+json", "\"code\":\"headers_too_large\"");
    }

    @Test
    void a_first_line_that_is_too_long_is_answered_with_431() throws IOException {
        String reply = answerTo("GET /health/live?" + "y".repeat(40_000) + " HTTP/1.1\r\nHost: x\r\n\r\n");

        assertThat(reply).startsWith("HTTP/1.1 431 ").contains("headers_too_large", "a shorter path or query");
    }

    /** It would wait for bytes that are never sent if it read them. */
    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 10", "Transfer-Encoding: chunked"})
    void a_body_is_refused_unread_where_a_route_takes_none(String announced) throws IOException {
        String reply = answerTo("GET /health/live HTTP/1.1\r\nHost: x\r\n" + announced + "\r\n\r\n");

        assertThat(reply).startsWith("HTTP/1.1 400 ").contains("takes no body");
    }

    /** The rest of a refused body is no further request. */
    @Test
    void what_is_left_of_a_refused_body_is_not_taken_for_a_request() throws IOException {
        String hidden = "GET /v1/features HTTP/1.1\r\nHost: x\r\n\r\n";

        String reply = answerTo(
                "GET /health/live HTTP/1.1\r\nHost: x\r\nContent-Length: " + hidden.length() + "\r\n\r\n" + hidden);

        assertThat(reply).startsWith("HTTP/1.1 400 ").doesNotContain("HTTP/1.1 200");
    }

    @Test
    void a_connection_is_closed_after_the_answer_if_the_client_wants_that() throws IOException {
        String reply = answerTo("GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");

        assertThat(reply).startsWith("HTTP/1.1 200 ").contains("live");
    }

    @Test
    void a_connection_stays_open_otherwise() throws IOException {
        String request = "GET /health/live HTTP/1.1\r\nHost: x\r\n";
        String reply = answerTo(request + "\r\n" + request + "Connection: close\r\n\r\n");

        assertThat(reply.split("HTTP/1.1 200 ", -1)).hasSize(3);
    }

    /** All that comes until the server hangs up, which it does within seconds, and not when the client has been silent for long. */
    private static String answerTo(String request) throws IOException {
        try (Socket socket = connect(server.server().address())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            ByteArrayOutputStream read = new ByteArrayOutputStream();
            socket.getInputStream().transferTo(read);
            return read.toString(StandardCharsets.ISO_8859_1);
        }
    }

    /** How many bytes are taken before the server hangs up. */
    private static long sendWithoutEnd(URI address, String beginning) throws IOException {
        byte[] more = new byte[64 * 1024];
        Arrays.fill(more, (byte) '1');
        long sent = 0;
        try (Socket socket = connect(address)) {
            OutputStream out = socket.getOutputStream();
            out.write(beginning.getBytes(StandardCharsets.ISO_8859_1));
            while (sent < 256L << 20) {
                out.write(more);
                sent += more.length;
            }
        } catch (SocketException closed) {
            // That is what was wanted.
        }
        return sent;
    }

    private static Socket connect(URI address) throws IOException {
        Socket socket = new Socket(address.getHost(), address.getPort());
        socket.setSoTimeout((int) Duration.ofSeconds(10).toMillis());
        return socket;
    }
}
