package dev.tallystick.bench;

import dev.tallystick.bench.Contender.Round;
import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.server.ServerSettings;
import dev.tallystick.server.TallyServer;
import io.helidon.webserver.WebServer;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Submissions over HTTP, 64 connections. Repeats are compared with a web server of the same make that answers everything alike
 * and knows nothing; first submissions with the floor. The jobs are for a far day, so that accepting is measured and not running.
 */
final class FrontDoorSuite implements Suite {

    private static final int CONNECTIONS = 64;
    private static final String BARE = "http.bare.c64";

    private static final String JOB =
            "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"42\"},\"not_before\":\"2099-01-01T00:00:00Z\"}";

    private static final byte[] ANSWER =
            ("{\"job_id\":\"01890a5d-ac96-774b-bcce-b302099a8057\",\"workflow\":\"sample.order\","
                            + "\"version\":1,\"key\":\"bench:42\",\"fingerprint\":\"" + "0".repeat(64)
                            + "\",\"accepted_at\":\"2030-01-31T12:00:00.123456Z\",\"duplicate\":true}")
                    .getBytes(StandardCharsets.UTF_8);

    private final AtomicLong sequence = new AtomicLong();
    private final Deque<Runnable> endings = new ArrayDeque<>();

    @Override
    public List<Contender> contenders(DataSource database) throws IOException {
        WebServer bare = WebServer.builder()
                .host(ServerSettings.LOOPBACK)
                .port(0)
                .routing(routing -> routing.any((request, response) -> {
                    byte[] unused = request.content().as(byte[].class);
                    response.header("Content-Type", "application/json").send(ANSWER);
                }))
                .build()
                .start();
        endings.push(bare::stop);
        Path data = Scratch.directory();
        TallyServer server = TallyServer.start(ServerSettings.of(data, Map.of())
                .at(ServerSettings.LOOPBACK, 0)
                .on(url((PGSimpleDataSource) database))
                .withSamples(true)
                .withBudget(new Limiter.Budget(Integer.MAX_VALUE, Duration.ofSeconds(10))));
        endings.push(server::close);
        String token = Files.readString(server.adminToken()).strip();
        URI bareAddress = URI.create("http://" + ServerSettings.LOOPBACK + ":" + bare.port());
        List<Contender> contenders = new ArrayList<>();
        contenders.add(new Contender(BARE, CONNECTIONS, number -> new Connected(bareAddress, token, number) {
            @Override
            String key(int caller) {
                return "bench:" + caller;
            }
        }));
        contenders.add(new Contender(
                        "tally.duplicates.c64", CONNECTIONS, number -> new Connected(server.address(), token, number) {
                            @Override
                            String key(int caller) {
                                return "duplicate:" + caller;
                            }
                        })
                .against(BARE));
        contenders.add(new Contender(
                        "tally.first.c64", CONNECTIONS, number -> new Connected(server.address(), token, number) {

                            private final long before = commits(database);

                            @Override
                            String key(int caller) {
                                return "first:" + sequence.incrementAndGet();
                            }

                            @Override
                            public Map<String, Double> extras(long items) throws SQLException {
                                return Map.of("commits_per_job", (commits(database) - before) / (double) items);
                            }
                        })
                .against("floor.c1", "floor.c8", "floor.c32"));
        return contenders;
    }

    @Override
    public void close() {
        endings.forEach(Runnable::run);
    }

    /** Of all sessions, whatever they do: sessions report now and then, so this is only about right. */
    private static long commits(DataSource database) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "select xact_commit from pg_stat_database where datname = current_database()")) {
            row.next();
            return row.getLong(1);
        }
    }

    private static String url(PGSimpleDataSource source) {
        String url = String.valueOf(source.getURL());
        return url + (url.contains("?") ? "&" : "?") + "user=" + source.getUser() + "&password=" + source.getPassword();
    }

    /** A connection for each caller, kept open. */
    private abstract static class Connected implements Round {

        private final List<PlainHttp> connections = new ArrayList<>();
        private final String head;

        Connected(URI address, String token, int number) throws IOException, SQLException {
            this.head =
                    "POST /v1/jobs HTTP/1.1\r\nHost: " + address.getAuthority() + "\r\nAuthorization: Bearer " + token
                            + "\r\nContent-Type: application/json\r\nContent-Length: " + JOB.length()
                            + "\r\nIdempotency-Key: ";
            for (int i = 0; i < number; i++) {
                connections.add(new PlainHttp(address));
            }
        }

        abstract String key(int caller);

        @Override
        public int call(int caller) throws IOException {
            int status = connections.get(caller).exchange(head + key(caller) + "\r\n\r\n" + JOB);
            if (status != 200 && status != 201) {
                throw new IOException("the server answered " + status);
            }
            return 1;
        }

        @Override
        public void close() {
            connections.forEach(PlainHttp::close);
        }
    }
}
