package dev.tallystick.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.server.Http;
import dev.tallystick.server.ServerSettings;
import dev.tallystick.server.ServerUnderTest;
import dev.tallystick.server.TallyServer;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Clients that take their time: they are cut off, and the others get their turn. */
class SlowClientsTest {

    private static final int CONNECTIONS = 150;
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static TallyServer server;
    private static Http admin;

    private final List<Socket> sockets = new ArrayList<>();

    @BeforeAll
    static void start() {
        server = TallyServer.start(
                ServerUnderTest.settings(postgres.url(), data),
                Limits.DEFAULT.withConnections(CONNECTIONS, CONNECTIONS).withTimes(PATIENCE, PATIENCE),
                CrashPoints.NONE);
        admin = new Http(server.address(), ServerUnderTest.adminToken(data));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void hangUp() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    @Test
    void more_half_sent_requests_than_there_are_connections_are_cut_off_and_a_good_client_is_served()
            throws IOException {
        List<String> beginnings = List.of(
                "",
                "POST /v1/jobs HT",
                "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nX-Half: a",
                "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + admin.token()
                        + "\r\nContent-Length: 100\r\n\r\n{\"workflow\":",
                "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + admin.token()
                        + "\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"wor\r\n");
        for (int i = 0; i < 200; i++) {
            connect()
                    .getOutputStream()
                    .write(beginnings.get(i % beginnings.size()).getBytes(StandardCharsets.US_ASCII));
        }

        Http.Reply reply = admin.submit("good", "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"x\"}}");

        assertThat(reply.status()).as(reply.body()).isEqualTo(201);
        for (Socket socket : sockets) {
            assertThat(isCutOff(socket)).isTrue();
        }
    }

    @Test
    void who_sends_a_byte_now_and_then_is_cut_off_all_the_same() throws Exception {
        Socket dripping = connect();
        OutputStream out = dripping.getOutputStream();
        out.write("GET /v1/features HTTP/1.1\r\nX-Slow: ".getBytes(StandardCharsets.US_ASCII));

        Eventually.holds("the server hangs up", () -> {
            try {
                out.write('x');
                return false;
            } catch (IOException cut) {
                return true;
            }
        });
    }

    @Test
    void who_does_not_read_its_answers_is_cut_off() throws Exception {
        Socket greedy = connect();
        greedy.setReceiveBufferSize(1024);
        byte[] question = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        OutputStream out = greedy.getOutputStream();

        Thread asking = Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    out.write(question);
                }
            } catch (IOException cut) {
                // That is what was wanted.
            }
        });

        assertThat(asking.join(Duration.ofSeconds(60))).isTrue();
    }

    @Test
    void who_waits_for_us_is_not_cut_off() {
        String job = admin.submit("waiting", "{\"workflow\":\"sample.approval\",\"input\":{\"order\":\"x\"}}")
                .text("job_id");

        Http.Reply result = admin.get("/v1/jobs/" + job + "/result?wait=2");

        assertThat(result.text("status")).isEqualTo("open");
    }

    /** Before its first bytes, and between them: in either pause it is our turn. */
    @Test
    void who_waits_for_more_of_a_stream_is_not_cut_off() throws IOException {
        Duration moment = Duration.ofMillis(100);
        Limits limits = Limits.DEFAULT.withTimes(moment, moment);
        Route pausing = Route.get(
                        "/pausing",
                        call -> new Answer.Stream("text/plain", out -> {
                            for (String part : List.of("begun", "ended")) {
                                boolean unused = new CountDownLatch(1).await(700, TimeUnit.MILLISECONDS);
                                out.write(part.getBytes(StandardCharsets.US_ASCII));
                                out.flush();
                            }
                        }))
                .open();
        try (Connections connections = new Connections(limits);
                HttpServer web = new HttpServer(
                        ServerSettings.LOOPBACK,
                        0,
                        null,
                        limits,
                        connections,
                        BrokenStreamTest.door(pausing, connections));
                Socket reader = new Http(web.address(), "").open("GET", "/pausing", "")) {
            String read = new String(reader.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);

            assertThat(read).contains("begun", "ended").endsWith("0\r\n\r\n");
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(server.address().getHost(), server.address().getPort());
        socket.setSoTimeout((int) Duration.ofSeconds(40).toMillis());
        sockets.add(socket);
        return socket;
    }

    /** Whatever is said before: in the end there is nothing more to come. */
    private static boolean isCutOff(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        try {
            while (in.read() >= 0) {
                // An answer that says why is as good.
            }
        } catch (SocketException reset) {
            return true;
        }
        return true;
    }
}
