package dev.tallystick.daemon;

import static dev.tallystick.daemon.DaemonUnderTest.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.client.TallyClient;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.daemon.local.LocalClient;
import dev.tallystick.testkit.ChildJvm;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Sends are accepted without a server, survive kills, and arrive once and in order when there is one. */
public class OfflineTest {

    private static final int TOPICS = 4;

    @RegisterExtension
    static final TestPostgres POSTGRES = TestPostgres.perTest();

    @TempDir
    Path folder;

    @Test
    void two_thousand_sends_made_offline_arrive_once_and_in_order() throws Exception {
        sendOfflineAndDeliver(2_000);
    }

    @Test
    @Tag("campaign")
    void ten_thousand_sends_made_offline_arrive_once_and_in_order() throws Exception {
        sendOfflineAndDeliver(10_000);
    }

    private void sendOfflineAndDeliver(int number) throws Exception {
        Path directory = folder.resolve("d");
        try (RealServer server = RealServer.on(POSTGRES, folder.resolve("server"))) {
            for (int topic = 0; topic < TOPICS; topic++) {
                server.admin().topics().create("t" + topic);
            }
            String token = server.member("laptop");
            URI address = server.address();
            server.stop();

            int sent = 0;
            for (int kill = 0; kill < 3; kill++) {
                try (ChildJvm child = start(directory, address, token)) {
                    int until = number * (kill + 1) / 3;
                    sent = sendUntil(directory, sent, until);
                    child.kill();
                }
            }
            assertThat(sent).isEqualTo(number);

            server.restart();
            try (ChildJvm child = start(directory, address, token)) {
                awaitNothingKept(directory);
                assertThat(child.isAlive()).isTrue();
            }
            for (int topic = 0; topic < TOPICS; topic++) {
                List<String> expected = new ArrayList<>();
                for (int i = topic; i < number; i += TOPICS) {
                    expected.add("send:" + i);
                }
                assertThat(server.history("t" + topic)).isEqualTo(expected);
            }
        }
    }

    @Test
    void jobs_submitted_offline_are_found_by_their_keys_later() throws Exception {
        Path directory = folder.resolve("d");
        try (RealServer server = RealServer.on(POSTGRES, folder.resolve("server"))) {
            String token = server.member("laptop");
            URI address = server.address();
            server.stop();
            try (Daemon daemon = Daemon.start(DaemonUnderTest.settings(directory, address, token))) {
                Json.ObjectValue plain = job("1");
                Json.ObjectValue withOptions = new Json.ObjectValue(Map.of(
                        "workflow",
                        Json.of("sample.order"),
                        "input",
                        new Json.ObjectValue(Map.of("order", Json.of("2"))),
                        "attributes",
                        new Json.ObjectValue(Map.of("customer", Json.of("7"))),
                        "client_message_id",
                        Json.of("job:2")));
                assertThat(DaemonUnderTest.post(directory, "/v1/jobs", plain).status())
                        .isEqualTo(202);
                String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
                try (LocalClient local = LocalClient.to(directory)) {
                    assertThat(local.ask("POST", "/v1/jobs", withOptions.canonical(), Map.of("traceparent", trace))
                                    .status())
                            .isEqualTo(202);
                }
                server.restart();
                awaitNothingKept(directory);
                TallyClient client = new TallyClient(address, token);
                assertThat(client.jobs().findByKey(new IdempotencyKey("job:1")).workflow())
                        .isEqualTo("sample.order");
                assertThat(client.jobs().findByKey(new IdempotencyKey("job:2")).attributes())
                        .containsEntry("customer", "7");
                assertThat(traceOf(client.jobs()
                                .findByKey(new IdempotencyKey("job:2"))
                                .jobId()))
                        .isEqualTo(trace);
                LocalClient.Reply again = DaemonUnderTest.post(directory, "/v1/jobs", plain);
                assertThat(again.status()).isEqualTo(200);
                assertThat(daemon.outbox().list(null, 0, 10)).hasSize(2);
            }
        }
    }

    private static String traceOf(UUID job) throws SQLException {
        try (Connection connection = POSTGRES.dataSource().getConnection();
                PreparedStatement query =
                        connection.prepareStatement("select traceparent from tally.job_trace where job_id = ?")) {
            query.setObject(1, job);
            try (ResultSet result = query.executeQuery()) {
                return result.next() ? result.getString(1) : "none";
            }
        }
    }

    private static Json.ObjectValue job(String order) {
        return new Json.ObjectValue(Map.of(
                "workflow", Json.of("sample.order"),
                "input", new Json.ObjectValue(Map.of("order", Json.of(order))),
                "client_message_id", Json.of("job:" + order)));
    }

    private static ChildJvm start(Path directory, URI server, String token) {
        ChildJvm child = ChildJvm.of(DaemonChild.class).start(directory.toString(), server.toString(), token, "false");
        child.awaitLine(DaemonChild.READY::equals);
        return child;
    }

    private static int sendUntil(Path directory, int from, int until) throws IOException {
        try (LocalClient client = LocalClient.to(directory)) {
            for (int i = from; i < until; i++) {
                LocalClient.Reply reply = client.ask(
                        "POST",
                        "/v1/send",
                        message("topic:t" + i % TOPICS, "number " + i).canonical(),
                        Map.of("Idempotency-Key", "send:" + i));
                assertThat(reply.status()).isEqualTo(202);
            }
        }
        return until;
    }

    public static void awaitNothingKept(Path directory) {
        Eventually.value(
                "everything is delivered",
                Duration.ofSeconds(60),
                () -> DaemonUnderTest.get(directory, "/v1/health").json().members(),
                health -> Json.of(0).equals(health.get("pending")) && Json.of(0).equals(health.get("inflight")));
    }
}
