package dev.tallystick.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Ids;
import dev.tallystick.server.Http;
import dev.tallystick.server.ServerSettings;
import dev.tallystick.server.ServerUnderTest;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Streams that end before their time, on either side, are nothing to tell an operator. */
class BrokenStreamTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

    @TempDir
    Path data;

    /** What the web server complains about. */
    private final List<String> complaints = new CopyOnWriteArrayList<>();

    private final Handler listener = new Handler() {

        @Override
        public void publish(LogRecord record) {
            if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
                complaints.add(record.getMessage() + " " + record.getThrown());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        Logger.getLogger("").addHandler(listener);
    }

    @AfterEach
    void leave() {
        Logger.getLogger("").removeHandler(listener);
    }

    @Test
    void a_server_that_stops_in_mid_stream_closes_the_connection_without_a_word() throws IOException {
        try (ServerUnderTest server = ServerUnderTest.on(postgres, data);
                Socket stream = stream(server)) {
            server.close();

            assertThat(stream.getInputStream().readAllBytes()).isEmpty();
            assertThat(complaints).isEmpty();
        }
    }

    @Test
    void a_reader_that_goes_away_in_mid_stream_is_forgotten() throws IOException {
        try (ServerUnderTest server = ServerUnderTest.on(postgres, data)) {
            Socket stream = stream(server);
            stream.setSoLinger(true, 0);
            stream.close();
            for (int i = 0; i < 3; i++) {
                server.admin()
                        .post(
                                "/v1/messages",
                                "{\"to\":\"member:admin\",\"message\":\"x\"}",
                                "Idempotency-Key",
                                "k" + i);
            }
        }
        assertThat(complaints).isEmpty();
    }

    @Test
    void a_stream_that_fails_breaks_off_and_cannot_be_taken_for_a_whole_one() throws IOException {
        Route failing = Route.get(
                        "/failing",
                        call -> new Answer.Stream("text/plain", out -> {
                            out.write("begun".getBytes(StandardCharsets.US_ASCII));
                            out.flush();
                            throw new IllegalStateException("on purpose");
                        }))
                .open();
        try (Connections connections = new Connections(Limits.DEFAULT);
                HttpServer web = new HttpServer(
                        ServerSettings.LOOPBACK, 0, null, Limits.DEFAULT, connections, door(failing, connections));
                Socket reader = new Http(web.address(), "").open("GET", "/failing", "")) {
            String read = new String(reader.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);

            assertThat(read).startsWith("HTTP/1.1 200 ").endsWith("begun\r\n");
            assertThat(complaints).as("the web server has not to see to it").isEmpty();
        }
    }

    static RequestHandler door(Route route, Connections connections) {
        return new RequestHandler(
                new RouteTable(List.of(route)),
                token -> Optional.empty(),
                Limits.DEFAULT,
                connections,
                new Meters(),
                () -> {},
                new Ids(Clock.systemUTC(), new SecureRandom()));
    }

    @Test
    void nothing_is_handed_out_to_a_taker_that_has_gone_away() throws IOException {
        try (ServerUnderTest server = ServerUnderTest.on(postgres, data)) {
            Http admin = server.admin();
            try (Socket gone = admin.open("POST", "/v1/deliveries/lease", "{\"wait_seconds\":60}")) {
                assertThat(gone.isConnected()).isTrue();
                Eventually.holds("it waits", () -> server.server().waits().number() == 1);
            }
            Eventually.holds("that is noticed", () -> server.server().waits().number() == 0);

            admin.post("/v1/messages", "{\"to\":\"member:admin\",\"message\":\"x\"}", "Idempotency-Key", "k");
            Http.Reply taken = admin.post("/v1/deliveries/lease", "{\"wait_seconds\":20}");

            assertThat(taken.body()).contains("\"attempt\":1");
        }
    }

    /** A stream that has begun. */
    private static Socket stream(ServerUnderTest server) throws IOException {
        URI address = server.server().address();
        Socket socket = new Socket(address.getHost(), address.getPort());
        socket.setSoTimeout(60_000);
        String request = "GET /v1/history/stream?destination=member:admin HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Bearer " + server.admin().token() + "\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        InputStream in = socket.getInputStream();
        StringBuilder read = new StringBuilder();
        while (read.indexOf(": hello\n\n\r\n") < 0) {
            read.append((char) in.read());
        }
        return socket;
    }
}
