package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Json;
import dev.tallystick.server.http.Limits;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Many messages in one request. */
class MessageBatchApiTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static ServerUnderTest server;
    private static Http alice;

    @BeforeAll
    static void start() {
        server = ServerUnderTest.on(postgres, data);
        alice = server.member("alice", "member");
        server.admin().put("/v1/topics/alerts", "{}");
        server.admin().put("/v1/queues/parcels", "{}");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String message(String key, String to, String text) {
        return "{\"client_message_id\":\"" + key + "\",\"to\":\"" + to + "\",\"message\":\"" + text + "\"}";
    }

    private static Http.Reply send(Http http, String... messages) {
        return http.post("/v1/messages/batch", "{\"messages\":[" + String.join(",", messages) + "]}");
    }

    /** Each outcome as its code, or as {@code accepted} or {@code duplicate}. */
    private static List<String> words(Http.Reply reply) {
        assertThat(reply.status()).as(reply.body()).isEqualTo(200);
        return outcomes(reply).stream().map(MessageBatchApiTest::word).toList();
    }

    private static List<Map<String, Json>> outcomes(Http.Reply reply) {
        return ((Json.ArrayValue) reply.at("outcomes"))
                .elements().stream()
                        .map(outcome -> ((Json.ObjectValue) outcome).members())
                        .toList();
    }

    private static String word(Map<String, Json> outcome) {
        if (outcome.get("code") instanceof Json.StringValue code) {
            assertThat(outcome).containsKeys("type", "title", "status", "detail");
            return code.value();
        }
        return Json.of(true).equals(outcome.get("duplicate")) ? "duplicate" : "accepted";
    }

    @Test
    void each_message_is_accepted_or_refused_by_itself() {
        String[] messages = {
            message("b1", "topic:alerts", "smoke"),
            message("b2", "topic:nowhere", "x"),
            "{\"client_message_id\":\"b3\",\"to\":\"topic:alerts\"}",
            "{\"to\":\"topic:alerts\",\"message\":\"x\"}",
            message("b1", "topic:alerts", "smoke"),
            message("b\\u0007", "topic:alerts", "x"),
            message("b4", "nothing", "x"),
            message("b5", "topic:alerts", "x".repeat(1024 * 1024 + 1)),
            "null",
            "{\"client_message_id\":\"b6\",\"to\":\"workflow:sample.order\",\"message\":{\"order\":\"b\"}}",
            "{\"client_message_id\":\"b7\",\"to\":\"topic:alerts\",\"message\":\"x\",\"mentions\":[\"no-such-member\"]}",
            message("b8", "queue:parcels", "last")
        };

        assertThat(words(send(alice, messages)))
                .containsExactly(
                        "accepted",
                        "unknown_topic",
                        "malformed_request",
                        "idempotency_key_missing",
                        "malformed_request",
                        "idempotency_key_refused",
                        "malformed_request",
                        "payload_too_large",
                        "malformed_request",
                        "accepted",
                        "unknown_member",
                        "accepted");
        assertThat(alice.get("/v1/jobs?key=b6").body()).contains("sample.order");
    }

    @Test
    void a_repeat_of_a_batch_is_the_same_messages_also_one_by_one() {
        String[] messages = {message("r1", "topic:alerts", "1"), message("r2", "queue:parcels", "2")};
        Http.Reply first = send(alice, messages);

        Http.Reply again = send(alice, messages);
        Http.Reply alone =
                alice.post("/v1/messages", "{\"to\":\"queue:parcels\",\"message\":\"2\"}", "Idempotency-Key", "r2");

        assertThat(words(again)).containsExactly("duplicate", "duplicate");
        assertThat(again.body().replace("\"duplicate\":true", "\"duplicate\":false"))
                .isEqualTo(first.body());
        assertThat(outcomes(again).get(1)).isEqualTo(((Json.ObjectValue) alone.json()).members());
        assertThat(words(send(alice, message("r1", "topic:alerts", "other"), message("r3", "topic:alerts", "3"))))
                .containsExactly("idempotency_key_reused", "accepted");
    }

    @Test
    void a_batch_is_one_transaction() {
        String messages = IntStream.range(0, 500)
                .mapToObj(i -> message("t" + i, "topic:alerts", "x"))
                .collect(Collectors.joining(","));

        assertThat(words(send(alice, messages))).hasSize(500).containsOnly("accepted");
        List<String> transactions = Database.on(postgres.dataSource())
                .transact(
                        "look",
                        tx -> tx.query(
                                "select distinct xmin::text as x from tally.message where key ~ '^t[0-9]+$'",
                                row -> row.getString("x")));
        assertThat(transactions).hasSize(1);
    }

    @Test
    void a_message_keeps_the_trace_of_its_own_sender() {
        String own = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        String ofRequest = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        String traced = message("trace1", "topic:alerts", "x").replace("{", "{\"traceparent\":\"" + own + "\",");

        alice.post(
                "/v1/messages/batch",
                "{\"messages\":[" + traced + "," + message("trace2", "topic:alerts", "x") + "]}",
                "traceparent",
                ofRequest);

        List<String> kept = Database.on(postgres.dataSource())
                .transact(
                        "look",
                        tx -> tx.query(
                                "select traceparent from tally.message where key in ('trace1', 'trace2') order by key",
                                row -> row.getString("traceparent")));
        assertThat(kept).containsExactly(own, ofRequest);
    }

    @Test
    void more_than_500_are_too_many_and_none_are_none() {
        String messages = IntStream.range(0, 501)
                .mapToObj(i -> message("m" + i, "topic:alerts", "x"))
                .collect(Collectors.joining(","));

        Http.Reply tooMany = send(alice, messages);

        assertThat(tooMany.code()).isEqualTo("malformed_request");
        assertThat(tooMany.body()).contains("at most 500");
        assertThat(send(alice).body()).isEqualTo("{\"outcomes\":[]}");
    }

    @Test
    void the_budget_is_charged_for_each_and_what_is_over_it_holds_back_what_follows(@TempDir Path other) {
        ServerSettings two =
                ServerUnderTest.settings(postgres.url(), other).withBudget(new Limiter.Budget(2, Duration.ofDays(1)));
        try (TallyServer tight = TallyServer.start(two, Limits.DEFAULT, CrashPoints.NONE)) {
            // A mesh of its own: the other tests spend the budget of theirs.
            Http admin = server.mesh("frugal");
            admin.put("/v1/topics/alerts", "{}");
            admin.put("/v1/queues/parcels", "{}");
            Http bob = new Http(
                    tight.address(),
                    ServerUnderTest.memberOf(admin, "bob", "member").token());

            Http.Reply reply = send(
                    bob,
                    message("o1", "topic:alerts", "1"),
                    message("o2", "topic:alerts", "2"),
                    message("o3", "topic:alerts", "3"),
                    message("o4", "topic:alerts", "4"),
                    message("o5", "queue:parcels", "5"));

            assertThat(words(reply)).containsExactly("accepted", "accepted", "over_limit", "busy", "over_limit");
            assertThat(outcomes(reply).get(2)).containsKey("retry_after");
            assertThat(words(send(bob, message("o1", "topic:alerts", "1"), message("o3", "topic:alerts", "3"))))
                    .containsExactly("duplicate", "over_limit");
        }
    }

    @Test
    void a_server_says_what_it_promises(@TempDir Path other) {
        Http.Reply features = server.anonymous().get("/v1/features");

        assertThat(features.body())
                .contains(
                        "\"message-batches\"",
                        "\"dedupe\":{\"mode\":\"retention_scoped\",\"retention_days\":365}",
                        "\"max_payload\":{\"inline_bytes\":1048576}",
                        "\"max_request_bytes\":1310720",
                        "\"versions\":[\"v1\"]");
        try (ServerUnderTest second = ServerUnderTest.on(postgres, other)) {
            assertThat(second.anonymous().get("/v1/features").text("installation_id"))
                    .as("one database is one installation")
                    .isEqualTo(features.text("installation_id"));
        }
    }
}
