package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tallystick.client.EventStream;
import dev.tallystick.client.Messages;
import dev.tallystick.client.RefusedException;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.Trust;
import dev.tallystick.client.UnavailableException;
import dev.tallystick.core.Destination;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.server.http.TlsTest;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The proxies of the guide, as Debian has them and as the guide sets them up. Skipped where they are not installed. */
class BehindProxyTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static final Path GUIDE = Path.of("..", "docs", "guides", "behind-a-proxy.md");
    private static final Path NGINX = Path.of("/usr/sbin/nginx");
    private static final Path HAPROXY = Path.of("/usr/sbin/haproxy");
    private static final Duration SOON = Duration.ofSeconds(30);

    /** It ends when its standard input does, and so never outlives its test. */
    private static final String UNTIL_INPUT_ENDS =
            "\"$@\" </dev/null & child=$!; cat >/dev/null; kill \"$child\"; wait \"$child\"";

    private static ServerUnderTest server;

    @BeforeAll
    static void start() throws Exception {
        TlsTest.make(data, "tally", "-keyalg", "EC");
        Files.writeString(
                data.resolve("tally.pem"),
                Files.readString(data.resolve("tally-cert.pem")) + Files.readString(data.resolve("tally-key.pem")));
        server = ServerUnderTest.on(postgres, data);
        server.admin().put("/v1/topics/orders", "{}");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void the_client_is_served_through_nginx() throws Exception {
        int port = freePort();
        try (Running nginx = nginx(guide("upstream"), port)) {
            assertThatAllWorks(client(port, ""));
        }
    }

    @Test
    void the_client_is_served_under_a_path_of_nginx() throws Exception {
        int port = freePort();
        String settings = guide("upstream")
                .replace("location / {", "location /tally/ {")
                .replace("proxy_pass http://tally;", "proxy_pass http://tally/;");
        try (Running nginx = nginx(settings, port)) {
            assertThatAllWorks(client(port, "/tally"));
            assertThatThrownBy(() -> new TallyClient(
                                    address(port, ""),
                                    "t",
                                    Duration.ofMillis(300),
                                    Trust.in(data.resolve("tally-cert.pem")))
                            .features())
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageContaining("404 with text/html from nginx");
        }
    }

    @Test
    void nginx_that_speaks_http_1_0_passes_on_what_to_do_about_it() throws Exception {
        int port = freePort();
        String settings = guide("upstream").replace("        proxy_http_version 1.1;\n", "");
        try (Running nginx = nginx(settings, port)) {
            TallyClient client = client(port, "");

            assertThatThrownBy(client::features)
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("http_version_not_supported")
                    .hasMessageContaining("proxy_http_version 1.1");
        }
    }

    @Test
    void the_client_is_served_through_haproxy() throws Exception {
        assumeTrue(Files.isExecutable(HAPROXY), "needs Debian's package haproxy");
        int port = freePort();
        Path file = data.resolve("haproxy.cfg");
        Files.writeString(
                file, placed(guide("defaults"), port).replace("bind :" + port, "bind 127.0.0.1:" + port) + "\n");
        try (Running haproxy = Running.of(port, HAPROXY.toString(), "-db", "-f", file.toString())) {
            Eventually.holds(
                    "the server is seen",
                    () -> new TallyClient(
                                            address(port, ""),
                                            server.admin().token(),
                                            Duration.ofSeconds(5),
                                            Trust.in(data.resolve("tally-cert.pem")))
                                    .features()
                                    .size()
                            > 0);
            assertThatAllWorks(client(port, ""));
        }
    }

    @Test
    void other_versions_of_http_are_refused_with_words() throws IOException {
        for (String version : List.of("1.0", "0.9", "1.2", "2.0")) {
            URI address = server.server().address();
            try (Socket socket = new Socket(address.getHost(), address.getPort())) {
                socket.setSoTimeout((int) SOON.toMillis());
                socket.getOutputStream()
                        .write(("GET /health/live HTTP/" + version + "\r\nHost: x\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
                assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                        .as(version)
                        .startsWith("HTTP/1.1 " + (version.equals("1.0") ? "505" : "400"))
                        .contains("application/problem+json")
                        .contains("HTTP/1.1");
            }
        }
    }

    /** Answers, refusals, waits and streams. */
    private static void assertThatAllWorks(TallyClient client) {
        Json order = Json.parse("{\"order\":\"1\"}");
        IdempotencyKey first = new IdempotencyKey(UUID.randomUUID().toString());
        IdempotencyKey second = new IdempotencyKey(UUID.randomUUID().toString());
        TallyClient.Submitted job = client.submit(TallyClient.NewJob.of("sample.order", order), first);
        assertThat(client.result(job.job(), SOON).status()).isEqualTo("completed");
        assertThatThrownBy(() -> client.topics().delete("nowhere")).isInstanceOf(RefusedException.class);
        client.topics().create("passing");
        client.topics().delete("passing");
        Destination orders = Destination.parse("topic:orders");
        long before = client.messages().history(orders, 0, 500).next();
        try (EventStream<Messages.Entry> stream = client.messages().follow(orders, before)) {
            assertThat(stream.next(Duration.ofMillis(10))).isEmpty();
            client.messages().send(Messages.NewMessage.to(orders, Json.of("hello")), second);
            assertThat(stream.next(SOON)).isPresent();
        }
    }

    private static Running nginx(String settings, int port) throws IOException {
        assumeTrue(Files.isExecutable(NGINX), "needs Debian's package nginx-light");
        Path file = data.resolve("nginx.conf");
        Files.writeString(file, """
                pid %1$s/nginx.pid;
                error_log %1$s/nginx.log;
                events {}
                http {
                access_log off;
                client_body_temp_path %1$s/body;
                proxy_temp_path %1$s/proxy;
                fastcgi_temp_path %1$s/fastcgi;
                uwsgi_temp_path %1$s/uwsgi;
                scgi_temp_path %1$s/scgi;
                %2$s
                }
                """.formatted(
                        data, placed(settings, port).replace("listen " + port, "listen 127.0.0.1:" + port)));
        return Running.of(port, NGINX.toString(), "-g", "daemon off; master_process off;", "-c", file.toString());
    }

    /** The block of the guide that begins with a word. */
    private static String guide(String begin) throws IOException {
        String guide = Files.readString(GUIDE);
        int from = guide.indexOf("```text\n" + begin) + "```text\n".length();
        assertThat(from).isGreaterThan("```text\n".length());
        return guide.substring(from, guide.indexOf("```", from));
    }

    private static String placed(String settings, int port) {
        return settings.replace(
                        "127.0.0.1:7070",
                        "127.0.0.1:" + server.server().address().getPort())
                .replace("/etc/ssl/", data + "/")
                .replace("8443", Integer.toString(port));
    }

    private static TallyClient client(int port, String path) {
        return new TallyClient(
                address(port, path), server.admin().token(), SOON, Trust.in(data.resolve("tally-cert.pem")));
    }

    private static URI address(int port, String path) {
        return URI.create("https://127.0.0.1:" + port + path);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** A program that listens until it is closed. */
    private record Running(Process process) implements AutoCloseable {

        static Running of(int port, String... program) throws IOException {
            List<String> command = new ArrayList<>(List.of("sh", "-c", UNTIL_INPUT_ENDS, "sh"));
            command.addAll(Arrays.asList(program));
            Path log = data.resolve("proxy.log");
            Running running = new Running(new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start());
            Eventually.holds("the proxy listens", () -> {
                if (!running.process().isAlive()) {
                    throw new IllegalStateException(Files.readString(log));
                }
                return listens(port);
            });
            return running;
        }

        private static boolean listens(int port) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return socket.isConnected();
            } catch (IOException e) {
                return false;
            }
        }

        @Override
        public void close() throws IOException, InterruptedException {
            process.getOutputStream().close();
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }
    }
}
