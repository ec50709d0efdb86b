package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.webhook.Webhooks;
import dev.tallystick.core.Json;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class WebhookApiTest {

    private static final String ORDER = "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"42\"}}";

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

    @TempDir
    Path data;

    private final Receiver receiver = new Receiver();
    private ServerUnderTest server;

    @BeforeEach
    void start() {
        server = ServerUnderTest.on(postgres, data);
    }

    @AfterEach
    void stop() {
        server.close();
        receiver.close();
    }

    @Test
    void a_message_to_a_topic_calls_the_webhook_signed_and_again_until_it_is_taken() throws Exception {
        Http admin = server.admin();
        admin.put("/v1/topics/alerts", "{}");
        Http alice = server.member("alice", "member");
        Http.Reply hook = register(alice, "topic:alerts");
        String secret = hook.text("secret");
        receiver.answer(503);

        String message = alice.post(
                        "/v1/messages", "{\"to\":\"topic:alerts\",\"message\":\"fire\"}", "Idempotency-Key", "k")
                .text("message_id");

        Receiver.Called first = receiver.next();
        receiver.answer(204);
        Receiver.Called second = receiver.next();
        for (Receiver.Called called : List.of(first, second)) {
            assertThat(called.messageId()).isEqualTo(message);
            assertThat(called.isSignedWith(secret)).isTrue();
            assertThat(called.at("message")).isEqualTo(Json.of("fire"));
        }
        assertThat(first.attempt()).isEqualTo(1);
        assertThat(second.attempt()).isEqualTo(2);
    }

    @Test
    void a_webhook_ends_with_its_topic_and_says_so() throws Exception {
        Http admin = server.admin();
        admin.put("/v1/topics/alerts", "{}");
        Http alice = server.member("alice", "member");
        String old = id(register(alice, "topic:alerts"));

        admin.delete("/v1/topics/alerts");
        assertThat(ask(alice, "topic:alerts").code()).isEqualTo("unknown_topic");
        admin.put("/v1/topics/alerts", "{}");
        Http.Reply fresh = register(alice, "topic:alerts");
        alice.post("/v1/messages", "{\"to\":\"topic:alerts\",\"message\":\"fire\"}", "Idempotency-Key", "k");

        assertThat(receiver.next().isSignedWith(fresh.text("secret"))).isTrue();
        assertThat(receiver.wasCalledAgain()).isFalse();
        assertThat(((Json.ArrayValue) alice.get("/v1/webhooks").at("webhooks")).elements())
                .extracting(Json::canonical)
                .satisfiesExactly(
                        ended -> assertThat(ended).contains(old).contains("\"ended_at\""),
                        called -> assertThat(called).contains(id(fresh)).doesNotContain("ended_at"));
    }

    @Test
    void the_end_of_a_job_calls_the_webhook_of_its_workflow() throws Exception {
        Http alice = server.member("alice", "member");
        String secret = register(alice, "workflow:sample.order").text("secret");

        String job = alice.submit("k", ORDER).text("job_id");

        Receiver.Called called = receiver.next();
        assertThat(called.isSignedWith(secret)).isTrue();
        assertThat(called.at("to")).isEqualTo(Json.of("workflow:sample.order"));
        Json.ObjectValue end = (Json.ObjectValue) called.at("message");
        assertThat(end.members())
                .containsEntry("job_id", Json.of(job))
                .containsEntry("first_job_id", Json.of(job))
                .containsEntry("workflow", Json.of("sample.order"))
                .containsEntry("version", Json.of(1))
                .containsEntry("status", Json.of("completed"))
                .containsKey("closed_at");
    }

    @Test
    void webhooks_are_seen_and_removed_by_their_owner_and_by_admins_alone() {
        Http alice = server.member("alice", "member");
        Http bob = server.member("bob", "member");
        Http.Reply registered = register(alice, "member:alice");
        Json hook = registered.at("webhook");
        String id = id(registered);

        assertThat(alice.get("/v1/webhooks").at("webhooks")).isEqualTo(new Json.ArrayValue(List.of(hook)));
        assertThat(server.admin().get("/v1/webhooks").at("webhooks")).isEqualTo(new Json.ArrayValue(List.of(hook)));
        assertThat(bob.get("/v1/webhooks").at("webhooks")).isEqualTo(new Json.ArrayValue(List.of()));
        assertThat(alice.get("/v1/webhooks").body()).doesNotContain("secret");
        assertThat(bob.delete("/v1/webhooks/" + id).status()).isEqualTo(404);
        assertThat(server.mesh("other").delete("/v1/webhooks/" + id).status()).isEqualTo(404);
        assertThat(alice.delete("/v1/webhooks/" + id).status()).isEqualTo(204);
        assertThat(alice.delete("/v1/webhooks/" + id).status()).isEqualTo(404);
    }

    @Test
    void who_was_removed_watches_no_workflow_any_more() {
        register(server.member("alice", "member"), "workflow:sample.order");
        register(server.member("bob", "member"), "workflow:sample.order");

        assertThat(server.admin().delete("/v1/members/alice").status()).isEqualTo(204);

        assertThat(count("select count(*) from tally.end_watch")).isEqualTo(1);
    }

    @Test
    void a_member_that_has_all_the_webhooks_it_may_have_deletes_one_first() {
        server.admin().put("/v1/topics/alerts", "{}");
        Http alice = server.member("alice", "member");
        String last = "";
        for (int i = 0; i < Webhooks.MAX_OF_A_MEMBER; i++) {
            last = id(register(alice, "topic:alerts"));
        }

        Http.Reply refused = ask(alice, "topic:alerts");

        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.code()).isEqualTo("too_many_webhooks");
        register(server.member("bob", "member"), "topic:alerts");
        assertThat(alice.delete("/v1/webhooks/" + last).status()).isEqualTo(204);
        register(alice, "topic:alerts");
    }

    @Test
    void a_call_that_was_given_up_is_listed_and_made_again_when_it_is_redriven() throws Exception {
        Http alice = server.member("alice", "member");
        Http bob = server.member("bob", "member");
        receiver.answer(410);
        String id = id(register(alice, "member:alice"));
        String message = bob.post("/v1/messages", "{\"to\":\"member:alice\",\"message\":\"x\"}", "Idempotency-Key", "k")
                .text("message_id");
        receiver.next();

        String listed = Eventually.value(
                "it is given up", () -> alice.get("/v1/webhooks/dead").body(), list -> list.contains(message));

        assertThat(listed).contains("\"webhook_id\":\"" + id + "\"", "\"error\":\"answered 410\"", "\"attempts\":1");
        assertThat(server.admin().get("/v1/webhooks/dead").body()).isEqualTo(listed);
        assertThat(bob.get("/v1/webhooks/dead").body()).isEqualTo("{\"calls\":[]}");
        assertThat(alice.get("/v1/webhooks/dead?limit=1&after=" + message + "%2F" + id)
                        .body())
                .isEqualTo("{\"calls\":[]}");
        String again = "/v1/webhooks/" + id + "/messages/" + message + "/redrive";
        assertThat(bob.send("POST", again, null).status()).isEqualTo(404);

        receiver.answer(204);
        assertThat(alice.send("POST", again, null).status()).isEqualTo(202);

        assertThat(receiver.next().messageId()).isEqualTo(message);
        Eventually.holds(
                "the call is recorded",
                () -> count("select count(*) from tally.delivery where inbox like 'webhook:%' and done_at is not null")
                        == 1);
        assertThat(alice.get("/v1/webhooks/dead").body()).isEqualTo("{\"calls\":[]}");
        assertThat(alice.send("POST", again, null).status())
                .as("a repeat changes nothing")
                .isEqualTo(202);
        assertThat(receiver.wasCalledAgain()).isFalse();
    }

    @Test
    void what_cannot_be_called_or_is_not_ones_own_is_refused() {
        Http alice = server.member("alice", "member");
        for (String body : List.of(
                "{\"source\":\"topic:a\",\"url\":\"ftp://example.org/\"}",
                "{\"source\":\"topic:a\",\"url\":\"not a url\"}",
                "{\"source\":\"queue:a\",\"url\":\"https://example.org/\"}",
                "{\"source\":\"member:bob\",\"url\":\"https://example.org/\"}",
                "{\"source\":\"nothing\",\"url\":\"https://example.org/\"}",
                "{\"source\":\"topic:two words\",\"url\":\"https://example.org/\"}",
                "{\"source\":\"workflow:" + Randomness.ofSeed(1).noise(3_000)
                        + "\",\"url\":\"https://example.org/\"}")) {
            Http.Reply reply = alice.post("/v1/webhooks", body);
            assertThat(reply.status()).as(body + reply.body()).isEqualTo(400);
            assertThat(reply.code()).isEqualTo("malformed_request");
        }
    }

    @Test
    void an_address_that_is_not_public_is_not_called_unless_the_server_allows_it() {
        server.close();
        try (TallyServer strict = TallyServer.start(ServerUnderTest.settings(postgres.url(), data)
                .withBroker(ServerSettings.of(data, Map.of()).broker().withPoll(Duration.ofMillis(50))))) {
            Http admin = new Http(strict.address(), ServerUnderTest.adminToken(data));
            register(admin, "member:admin");
            admin.post("/v1/messages", "{\"to\":\"member:admin\",\"message\":\"x\"}", "Idempotency-Key", "k");

            Eventually.holds("the call is given up", () -> dead() == 1);
        }
        assertThat(receiver.wasCalledAgain()).isFalse();
    }

    private Http.Reply register(Http http, String source) {
        Http.Reply reply = ask(http, source);
        assertThat(reply.status()).as(reply.body()).isEqualTo(201);
        return reply;
    }

    private Http.Reply ask(Http http, String source) {
        return http.post("/v1/webhooks", "{\"source\":\"" + source + "\",\"url\":\"" + receiver.url() + "\"}");
    }

    private static String id(Http.Reply registered) {
        return new Http.Reply(200, registered.at("webhook").canonical(), Map.of()).text("id");
    }

    private static long dead() {
        return count("select count(*) from tally.delivery where dead_at is not null and error like '%not public%'");
    }

    private static long count(String sql) {
        try (Connection connection = postgres.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
