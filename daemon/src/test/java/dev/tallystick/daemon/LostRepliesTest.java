package dev.tallystick.daemon;

import static dev.tallystick.daemon.DaemonUnderTest.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.daemon.local.LocalClient;
import dev.tallystick.testkit.ChildJvm;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.Seeded;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Replies are lost and both sides are killed: nothing is lost, nothing is doubled, nothing accepted is called dead. */
@ExtendWith(Seeded.class)
class LostRepliesTest {

    private static final int TOPICS = 3;

    @RegisterExtension
    static final TestPostgres POSTGRES = TestPostgres.perTest();

    @TempDir
    Path folder;

    @Test
    void a_proxy_that_loses_replies_costs_no_message_and_doubles_none(Randomness random) throws Exception {
        sendThroughTrouble(1_500, random);
    }

    @Test
    @Tag("campaign")
    void a_proxy_that_loses_replies_costs_none_of_5000_messages(Randomness random) throws Exception {
        sendThroughTrouble(5_000, random);
    }

    private void sendThroughTrouble(int number, Randomness random) throws Exception {
        Path directory = folder.resolve("d");
        try (RealServer server = RealServer.on(POSTGRES, folder.resolve("server"));
                ReplyLosingProxy proxy = new ReplyLosingProxy(server.port(), random)) {
            for (int topic = 0; topic < TOPICS; topic++) {
                server.admin().topics().create("t" + topic);
            }
            String token = server.member("laptop");
            for (int part = 0; part < 3; part++) {
                try (ChildJvm serving = part == 1 ? server.moveOut() : null;
                        ChildJvm child = ChildJvm.of(DaemonChild.class)
                                .with("-Dtally.batch=20")
                                .start(directory.toString(), proxy.address().toString(), token, "false")) {
                    child.awaitLine(DaemonChild.READY::equals);
                    send(directory, number * part / 3, number * (part + 1) / 3);
                    if (serving != null) {
                        Eventually.holds("replies are lost", () -> proxy.dropped() > 20);
                        serving.kill();
                        server.restart();
                    }
                    if (part < 2) {
                        child.kill();
                    } else {
                        OfflineTest.awaitNothingKept(directory);
                        assertThat(DaemonUnderTest.get(directory, "/v1/health")
                                        .json()
                                        .members()
                                        .get("dead"))
                                .isEqualTo(Json.of(0));
                    }
                }
            }
            assertThat(proxy.dropped()).as("replies that were lost").isPositive();
            for (int topic = 0; topic < TOPICS; topic++) {
                List<String> expected = new ArrayList<>();
                for (int i = topic; i < number; i += TOPICS) {
                    expected.add("send:" + i);
                }
                assertThat(server.history("t" + topic)).isEqualTo(expected);
            }
        }
    }

    private static void send(Path directory, int from, int until) throws Exception {
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
    }
}
