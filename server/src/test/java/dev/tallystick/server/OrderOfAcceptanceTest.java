package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Json;
import dev.tallystick.server.http.Limits;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Two servers on one Postgres. The clock of one is 5 seconds ahead. */
class OrderOfAcceptanceTest {

    private static final int ROUNDS = 20;

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

    @TempDir
    Path one;

    @TempDir
    Path two;

    private TallyServer ahead;
    private TallyServer behind;
    private Http atAhead;
    private Http atBehind;

    @BeforeEach
    void start() {
        ahead = start(one, Clock.offset(Clock.systemUTC(), Duration.ofSeconds(5)));
        behind = start(two, Clock.systemUTC());
        atAhead = new Http(ahead.address(), ServerUnderTest.adminToken(one));
        atBehind = new Http(behind.address(), atAhead.token());
        atAhead.put("/v1/queues/parcels", "{}");
    }

    private static TallyServer start(Path data, Clock clock) {
        return TallyServer.start(
                ServerUnderTest.settings(postgres.url(), data), Limits.DEFAULT, clock, CrashPoints.NONE);
    }

    @AfterEach
    void stop() {
        ahead.close();
        behind.close();
    }

    private static String message(int number) {
        return "{\"client_message_id\":\"k" + number + "\",\"to\":\"queue:parcels\",\"message\":" + number + "}";
    }

    @Test
    void positions_and_leases_follow_the_order_of_acceptance() {
        List<Long> sent = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            int number = 3 * i;
            atAhead.post("/v1/messages", message(number));
            atBehind.post(
                    "/v1/messages/batch", "{\"messages\":[" + message(number + 1) + "," + message(number + 2) + "]}");
            sent.addAll(List.of((long) number, number + 1L, number + 2L));
        }

        List<Long> history = Eventually.value(
                "all have positions",
                () -> numbers(atBehind.get("/v1/history?limit=100&destination=queue:parcels"), "entries"),
                entries -> entries.size() == 3 * ROUNDS);

        assertThat(history).isEqualTo(sent);
        assertThat(numbers(atBehind.post("/v1/deliveries/lease", "{\"queue\":\"parcels\",\"max\":100}"), "deliveries"))
                .isEqualTo(sent);
    }

    private static List<Long> numbers(Http.Reply reply, String list) {
        return ((Json.ArrayValue) reply.at(list))
                .elements().stream()
                        .map(entry -> ((Json.ObjectValue) entry).members().get("message"))
                        .map(message -> ((Json.ObjectValue) message).members().get("message"))
                        .map(number -> (long) ((Json.NumberValue) number).value())
                        .toList();
    }
}
