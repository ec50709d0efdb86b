package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.model.BrokerCrashPoint;
import dev.tallystick.client.Messages;
import dev.tallystick.client.OutcomeUnknownException;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.UnavailableException;
import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.keys.KeysCrashPoint;
import dev.tallystick.sql.SqlCrashPoint;
import dev.tallystick.testkit.ChildJvm;
import dev.tallystick.testkit.History;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.Seeded;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Servers that are killed for real under load, while their clients continue with the same keys. */
@ExtendWith(Seeded.class)
class AcceptedOnceTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

    /** Where dying matters on the way of a submission, from the first check to the answer. */
    private static final List<CrashPoint> POINTS = List.of(
            BrokerCrashPoint.BUDGET_SPENT,
            KeysCrashPoint.ACCEPT_WRITTEN,
            BrokerCrashPoint.MESSAGES_WRITTEN,
            BrokerCrashPoint.JOBS_WRITTEN,
            SqlCrashPoint.BEFORE_COMMIT,
            SqlCrashPoint.AFTER_COMMIT,
            BrokerCrashPoint.ACCEPTED);

    private static final int CLIENTS = 8;

    /** The pauses of a client grow with its patience, and are to be no longer than a server takes to come back. */
    private static final Duration EAGER = Duration.ofSeconds(1);

    /** With the same key; enough for many servers in a row that die too soon. */
    private static final int ATTEMPTS = 100;

    private static final String REHEARSAL = "rehearsal";

    private final History<String> history = new History<>();
    private final Map<String, String> accepted = new ConcurrentHashMap<>();
    private volatile boolean done;

    @Test
    void nothing_is_lost_and_nothing_is_doubled_when_servers_are_killed_while_accepting(
            @TempDir Path data, @TempDir Path archive, Randomness random) throws Exception {
        kill(30, data, archive, random);
    }

    @Test
    @Tag("campaign")
    void nothing_is_lost_and_nothing_is_doubled_over_2_000_kills(
            @TempDir Path data, @TempDir Path archive, Randomness random) throws Exception {
        System.out.println("2,000 kills from seed " + random.seed());
        kill(2_000, data, archive, random);
    }

    private void kill(int kills, Path data, Path archive, Randomness random) throws Exception {
        String port = Integer.toString(freePort());
        history.invoked(REHEARSAL);
        ChildJvm.Plan plan =
                ChildJvm.of(KilledServer.class).rehearsed(archive, postgres.url(), data.toString(), port, REHEARSAL);
        Map<CrashPoint, Integer> hits = new LinkedHashMap<>();
        WatchedWire wire = new WatchedWire(Integer.parseInt(port));
        List<Thread> clients = begin(wire.port(), ServerUnderTest.adminToken(data));
        try (wire) {
            for (int number = 0; number < kills; number++) {
                CrashPoint point = POINTS.get(number % POINTS.size());
                int arrival = random.between(1, 20);
                wire.begins(number);
                try (ChildJvm server = plan.haltingAt(point, arrival).start(postgres.url(), data.toString(), port)) {
                    server.awaitLine(line -> line.equals(KilledServer.DIES));
                    // It is halting, for which a JVM takes some 300 ms; a kill does not.
                    server.kill();
                    hits.merge(point, 1, Integer::sum);
                }
            }
            wire.begins(kills);
            settle(Integer.parseInt(port), data, clients);
        } finally {
            done = true;
        }
        Map<Integer, Integer> unanswered = wire.unanswered();
        unanswered.remove(kills);
        int requests = unanswered.values().stream().mapToInt(Integer::intValue).sum();
        System.out.printf(
                "%d kills, %d of them with %d requests that were sent and not answered, %s; %s%n",
                kills, unanswered.size(), requests, hits, history.summary());
        assertThat(hits).containsOnlyKeys(POINTS);
        assertThat(unanswered.size())
                .as("kills with requests that were sent and not answered")
                .isGreaterThanOrEqualTo(kills * 8 / 10);
        assertThat(requests).as("one alone would prove little").isGreaterThan(2 * kills);
        assertThat(history.acknowledgedKeys()).isGreaterThan(kills);
        assertThat(accepted).hasSize((int) history.acknowledgedKeys());
    }

    /** Lets the clients come to an end, and holds what they were told against what there is. */
    private void settle(int port, Path data, List<Thread> clients) throws InterruptedException, SQLException {
        try (TallyServer survivor =
                TallyServer.start(ServerUnderTest.settings(postgres.url(), data).at(ServerSettings.LOOPBACK, port))) {
            done = true;
            for (Thread client : clients) {
                client.join();
            }
            List<Present> present = present();
            history.assertAgreesWith(present.stream().map(Present::key).toList());
            accepted.forEach((key, id) -> assertThat(present).contains(new Present(key, id)));
            Http admin = new Http(survivor.address(), ServerUnderTest.adminToken(data));
            assertThat(admin.get("/v1/orphans").at("total")).isEqualTo(Json.of(0));
            assertThat(survivor.isFirstStart()).isFalse();
        }
    }

    private List<Thread> begin(int port, String token) {
        TallyClient client = new TallyClient(URI.create("http://127.0.0.1:" + port), token, EAGER);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            int number = i;
            threads.add(Thread.ofVirtual().start(() -> submitUntilDone(client, number)));
        }
        return threads;
    }

    /** Every other client submits jobs, and the ones in between send messages. */
    private void submitUntilDone(TallyClient client, int number) {
        for (int i = 0; !done; i++) {
            String key = "kill:" + number + ":" + i;
            boolean isAnswered = false;
            for (int attempt = 0; attempt < ATTEMPTS && !isAnswered; attempt++) {
                isAnswered = isAccepted(key, number % 2 == 0 ? () -> submit(client, key) : () -> send(client, key));
            }
        }
    }

    private boolean isAccepted(String key, Supplier<UUID> accept) {
        history.invoked(key);
        try {
            accepted.put(key, accept.get().toString());
            history.acknowledged(key);
            return true;
        } catch (OutcomeUnknownException | UnavailableException e) {
            history.unknown(key);
            return false;
        }
    }

    private static UUID submit(TallyClient client, String key) {
        Json order = new Json.ObjectValue(Map.of("order", Json.of(key)));
        return client.submit(TallyClient.NewJob.of("sample.order", order), new IdempotencyKey(key))
                .job();
    }

    private static UUID send(TallyClient client, String key) {
        return client.messages()
                .send(Messages.NewMessage.toMember("admin", Json.of(key)), new IdempotencyKey(key))
                .message();
    }

    /** A job or a message that there is, and the key that it is for. */
    private record Present(String key, String id) {}

    private static List<Present> present() throws SQLException {
        List<Present> present = new ArrayList<>();
        try (Connection connection = postgres.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("""
                        select convert_from(input, 'UTF8')::json ->> 'order' as key, id from tally.job
                        union all
                        select convert_from(body, 'UTF8'), id from tally.message
                        where destination = 'member:admin'
                        """)) {
            while (rows.next()) {
                present.add(new Present(rows.getString("key"), rows.getString("id")));
            }
        }
        return present;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
