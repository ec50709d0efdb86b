package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.TestPostgres;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hostile requests: they get a 4xx, cost little, and other clients do not notice. */
class HostileTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static final long GIBIBYTE = 1L << 30;

    private static ServerUnderTest server;
    private static Http http;

    private Others others;

    @BeforeAll
    static void start() {
        server = ServerUnderTest.on(postgres, data);
        http = server.member("mallory", "member");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** Whatever is done to the server, another client is served before, during and after it. */
    @BeforeEach
    void others_are_served() {
        others = new Others(server.member("alice", "member"));
        others.awaitServedOnceMore();
    }

    @AfterEach
    void others_are_served_meanwhile() {
        others.awaitServedOnceMore();
        others.close();
        assertThat(others.refused()).isEmpty();
    }

    @Test
    void a_body_of_a_gibibyte_is_refused_before_it_is_read() throws IOException {
        long before = usedMemory();

        String reply = raw(head("POST /v1/jobs", "Content-Length: " + GIBIBYTE), new byte[64 * 1024]);

        refusedWith(reply, 413, "payload_too_large");
        assertThat(usedMemory() - before).isLessThan(100L << 20);
    }

    @Test
    void a_body_in_chunks_that_never_ends_is_cut_off() throws IOException {
        try (Socket socket = connect()) {
            OutputStream out = socket.getOutputStream();
            out.write(head("POST /v1/jobs", "Transfer-Encoding: chunked"));
            byte[] chunk = ("10000\r\n" + "x".repeat(0x10000) + "\r\n").getBytes(StandardCharsets.UTF_8);
            long sent = 0;
            try {
                while (sent < GIBIBYTE) {
                    out.write(chunk);
                    sent += chunk.length;
                    if (sent == 4L * chunk.length) {
                        others.awaitServedOnceMore();
                    }
                }
            } catch (SocketException closed) {
                // That is what was wanted.
            }
            assertThat(sent).isLessThan(GIBIBYTE / 4);
        }
    }

    @Test
    void json_that_is_nested_too_deeply_is_refused() {
        String deep = "{\"workflow\":\"sample.order\",\"input\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}";

        refused(http.submit("deep", deep), 400, "malformed_json");
    }

    @Test
    void a_name_that_comes_twice_is_refused() {
        refused(http.submit("twice", "{\"workflow\":\"a\",\"workflow\":\"b\"}"), 400, "malformed_json");
    }

    @Test
    void bytes_that_are_not_utf_8_are_refused() throws IOException {
        byte[] body = "{\"workflow\":\"\u00ff\u00fe\"}".getBytes(StandardCharsets.ISO_8859_1);

        refusedWith(
                raw(head("POST /v1/jobs", "Content-Length: " + body.length, "Idempotency-Key: u"), body),
                400,
                "malformed_json");
    }

    /** By the bytes of UTF-8, and by those of Latin 1. */
    @ParameterizedTest
    @ValueSource(strings = {"\u00c3\u00bc1", "\u00fc1"})
    void a_key_beyond_ascii_in_the_header_is_refused(String key) throws IOException {
        byte[] body = "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"x\"}}".getBytes(StandardCharsets.UTF_8);

        String reply = raw(head("POST /v1/jobs", "Content-Length: " + body.length, "Idempotency-Key: " + key), body);

        refusedWith(reply, 400, "malformed_request");
        assertThat(reply).contains("ASCII", "client_message_id");
    }

    @Test
    void a_compressed_body_is_refused_unread() throws IOException {
        ByteArrayOutputStream bomb = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(bomb)) {
            byte[] zeros = new byte[1 << 20];
            for (int i = 0; i < 64; i++) {
                zip.write(zeros);
            }
        }
        byte[] body = bomb.toByteArray();

        refusedWith(
                raw(head("POST /v1/jobs", "Content-Encoding: gzip", "Content-Length: " + body.length), body),
                415,
                "unsupported_media_type");
    }

    @Test
    void ten_thousand_headers_are_refused() throws IOException {
        StringBuilder request = new StringBuilder("GET /v1/features HTTP/1.1\r\nHost: x\r\n");
        for (int i = 0; i < 10_000; i++) {
            request.append("X-").append(i).append(": y\r\n");
        }

        String reply = raw(request.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII), new byte[0]);

        assertThat(reply).containsPattern("^HTTP/1.1 4\\d\\d ");
        noTrace(reply);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/../v1/features",
                "/v1/./features",
                "//v1/features",
                "/v1//features",
                "/v1/features/",
                "/v1/%66eatures",
                "/v1/features;x=1",
                "/V1/features",
                "/v1/jobs/..%2f..%2fetc%2fpasswd",
                "/v1/jobs/%00",
                "/v1/jobs/%zz",
                "/v1/jobs/%c3%28",
                "/%2e%2e/%2e%2e/etc/passwd",
            })
    void tricks_with_paths_lead_nowhere(String path) throws IOException {
        String reply = raw(head("GET " + path, "Connection: close"), new byte[0]);

        assertThat(reply).containsPattern("^HTTP/1.1 40[04] ");
        noTrace(reply);
    }

    @Test
    void a_bad_type_of_anything_is_refused_and_says_where() {
        refused(http.submit("t1", "{\"workflow\":1}"), 400, "malformed_request");
        refused(http.submit("t2", "[]"), 400, "malformed_request");
        refused(http.submit("t3", "{\"workflow\":\"sample.order\",\"not_before\":\"soon\"}"), 400, "malformed_request");
        refused(http.submit("t4", "{\"workflow\":\"sample.order\",\"priority\":\"high\"}"), 400, "malformed_request");
        refused(http.submit("t5", "{\"workflow\":\"\"}"), 400, "malformed_request");
        refused(http.submit("k".repeat(256), "{\"workflow\":\"sample.order\"}"), 400, "idempotency_key_refused");
        refused(http.get("/v1/jobs?colour=red"), 400, "unknown_parameter");
        refused(http.get("/v1/jobs?limit=0"), 400, "malformed_request");
        refused(http.get("/v1/jobs?limit=1&limit=2"), 400, "malformed_request");
        refused(
                http.post("/v1/jobs", "workflow=sample.order", "Content-Type", "application/x-www-form-urlencoded"),
                415,
                "unsupported_media_type");
    }

    @Test
    void an_input_larger_than_the_limit_is_refused_and_leaves_the_key_free() {
        String large = "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"" + "x".repeat(1 << 20) + "\"}}";

        refused(http.submit("large", large), 413, "payload_too_large");

        assertThat(http.submit("large", "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"y\"}}")
                        .status())
                .isEqualTo(201);
    }

    private static void refused(Http.Reply reply, int status, String code) {
        assertThat(reply.status()).as(reply.body()).isEqualTo(status);
        assertThat(reply.code()).isEqualTo(code);
        noTrace(reply.body());
    }

    private static void refusedWith(String reply, int status, String code) {
        assertThat(reply).startsWith("HTTP/1.1 " + status).contains("\"code\":\"" + code + "\"");
        noTrace(reply);
    }

    private static void noTrace(String reply) {
        assertThat(reply).doesNotContain("\tat ", "Exception", "java.", "helidon");
    }

    private static byte[] head(String start, String... headers) {
        StringBuilder head = new StringBuilder(start).append(" HTTP/1.1\r\nHost: localhost\r\n");
        head.append("Authorization: Bearer ").append(http.token()).append("\r\n");
        for (String header : headers) {
            head.append(header).append("\r\n");
        }
        return head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Sends bytes and returns what comes back until the connection is closed or falls silent. */
    private String raw(byte[] head, byte[] body) throws IOException {
        try (Socket socket = connect()) {
            OutputStream out = socket.getOutputStream();
            try {
                out.write(head);
                out.flush();
                others.awaitServedOnceMore();
                out.write(body);
                out.flush();
            } catch (SocketException closed) {
                // The answer may be there all the same.
            }
            return answer(socket.getInputStream());
        }
    }

    private static String answer(InputStream in) throws IOException {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        try {
            for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
                read.write(buffer, 0, n);
                String text = read.toString(StandardCharsets.UTF_8);
                if (text.endsWith("}") || text.endsWith("\r\n0\r\n\r\n")) {
                    break;
                }
            }
        } catch (SocketException closed) {
            // What came before is the answer.
        }
        return read.toString(StandardCharsets.UTF_8);
    }

    private static Socket connect() throws IOException {
        URI address = server.server().address();
        Socket socket = new Socket(address.getHost(), address.getPort());
        socket.setSoTimeout((int) Duration.ofSeconds(40).toMillis());
        return socket;
    }

    private static long usedMemory() {
        Runtime runtime = Runtime.getRuntime();
        runtime.gc();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
