package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Messages over HTTP: topics, queues, deliveries, history, streams. */
class MessageApiTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static ServerUnderTest server;
    private static Http alice;
    private static Http bob;

    @BeforeAll
    static void start() {
        server = ServerUnderTest.on(postgres, data);
        alice = server.member("alice", "member");
        bob = server.member("bob", "member");
        server.admin().put("/v1/topics/alerts", "{}");
        server.admin().put("/v1/queues/parcels", "{}");
        bob.put("/v1/topics/alerts/subscribers/bob", "{}");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Http.Reply send(Http from, String key, String to, String message) {
        return from.post("/v1/messages", "{\"to\":\"" + to + "\",\"message\":" + message + "}", "Idempotency-Key", key);
    }

    private static List<Http.Reply> take(Http who, String body) {
        Http.Reply taken = who.post("/v1/deliveries/lease", body);
        assertThat(taken.status()).as(taken.body()).isEqualTo(200);
        return ((Json.ArrayValue) taken.at("deliveries"))
                .elements().stream()
                        .map(each -> new Http.Reply(200, each.canonical(), Map.of()))
                        .toList();
    }

    private static String held(Http.Reply delivery) {
        return "{\"deliveries\":[{\"inbox\":\"" + delivery.text("inbox") + "\",\"message_id\":\""
                + delivery.text("message_id") + "\",\"fence\":"
                + delivery.at("fence").canonical() + "}]}";
    }

    @Test
    void a_subscriber_gets_what_is_sent_to_its_topic_until_it_acknowledges() {
        Http.Reply sent = send(alice, "m1", "topic:alerts", "\"fire\"");
        assertThat(sent.status()).as(sent.body()).isEqualTo(201);

        List<Http.Reply> taken = take(bob, "{\"wait_seconds\":10}");

        assertThat(taken).extracting(each -> each.text("message_id")).contains(sent.text("message_id"));
        assertThat(take(bob, "{}")).isEmpty();
        for (Http.Reply each : taken) {
            assertThat(bob.post("/v1/deliveries/ack", held(each)).body()).isEqualTo("{\"outcomes\":[\"done\"]}");
        }
    }

    @Test
    void what_a_taker_gives_back_comes_again_and_its_old_lease_is_worth_nothing() {
        send(alice, "q1", "queue:parcels", "{\"box\":1}");
        Http.Reply first =
                take(alice, "{\"queue\":\"parcels\",\"wait_seconds\":10}").getFirst();
        assertThat(alice.post("/v1/deliveries/release", held(first)).body()).contains("done");

        Http.Reply second =
                take(bob, "{\"queue\":\"parcels\",\"wait_seconds\":10}").getFirst();

        assertThat(second.text("message_id")).isEqualTo(first.text("message_id"));
        assertThat(second.at("attempt")).isEqualTo(Json.of(2));
        assertThat(alice.post("/v1/deliveries/ack", held(first)).body()).contains("lease_lost");
        assertThat(bob.post("/v1/deliveries/ack", held(second)).body()).contains("done");
    }

    @Test
    void a_repeat_is_the_same_message_and_another_message_under_its_key_is_refused() {
        Http.Reply first = send(alice, "m2", "topic:alerts", "\"smoke\"");

        Http.Reply again = send(alice, "m2", "topic:alerts", "\"smoke\"");
        Http.Reply other = send(alice, "m2", "topic:alerts", "\"flood\"");

        assertThat(again.status()).isEqualTo(200);
        assertThat(again.text("message_id")).isEqualTo(first.text("message_id"));
        assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(other.code()).isEqualTo("idempotency_key_reused");
    }

    @Test
    void json_and_the_text_that_it_is_written_in_are_two_requests() {
        for (String json : List.of("1", "{\"a\":1}", "null")) {
            String text = Json.of(json).canonical();
            assertThat(send(alice, "kind " + json, "topic:alerts", json).status())
                    .isEqualTo(201);
            assertThat(send(alice, "kind " + json, "topic:alerts", text).code())
                    .as(json)
                    .isEqualTo("idempotency_key_reused");
        }
    }

    @Test
    void two_keys_that_differ_are_refused_and_one_that_comes_twice_is_one() {
        String body = "{\"to\":\"topic:alerts\",\"message\":\"x\"}";

        Http.Reply two = server.admin().post("/v1/messages", body, "Idempotency-Key", "a", "Idempotency-Key", "b");
        Http.Reply one = server.admin().post("/v1/messages", body, "Idempotency-Key", "a", "Idempotency-Key", "a");

        assertThat(two.status()).isEqualTo(400);
        assertThat(two.code()).isEqualTo("idempotency_key_refused");
        assertThat(one.status()).as(one.body()).isEqualTo(201);
    }

    @Test
    void the_key_may_stand_in_the_body_but_not_differ_from_the_header() {
        String body = "{\"to\":\"topic:alerts\",\"message\":\"x\",\"client_message_id\":\"b1\"}";

        assertThat(alice.post("/v1/messages", body).status()).isEqualTo(201);
        assertThat(alice.post("/v1/messages", body, "Idempotency-Key", "b1").status())
                .isEqualTo(200);
        assertThat(alice.post("/v1/messages", body, "Idempotency-Key", "b2").code())
                .isEqualTo("idempotency_key_refused");
    }

    @Test
    void a_missing_destination_leaves_the_key_free_until_it_is_there() {
        assertThat(send(alice, "m3", "topic:later", "1").code()).isEqualTo("unknown_topic");
        assertThat(send(alice, "m4", "member:unknown", "1").code()).isEqualTo("unknown_member");
        assertThat(send(alice, "m5", "queue:none", "1").code()).isEqualTo("unknown_queue");
        assertThat(send(alice, "m6", "workflow:none", "1").code()).isEqualTo("unknown_workflow");

        server.admin().put("/v1/topics/later", "{}");

        assertThat(send(alice, "m3", "topic:later", "1").status()).isEqualTo(201);
    }

    @Test
    void a_message_to_a_workflow_is_a_job() {
        Http.Reply sent = send(alice, "j1", "workflow:sample.order", "{\"order\":\"7\"}");

        Http.Reply result = alice.get("/v1/jobs/" + sent.text("message_id") + "/result?wait=30");

        assertThat(result.text("status")).isEqualTo("completed");
        Http.Reply again = alice.submit("j1", "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"7\"}}");
        assertThat(again.status())
                .as("the same submission, through another door")
                .isEqualTo(200);
        assertThat(again.text("job_id")).isEqualTo(sent.text("message_id"));
    }

    @Test
    void what_is_sent_to_somebody_is_read_by_nobody_else() {
        String id = send(alice, "d1", "member:bob", "\"psst\"").text("message_id");
        Http carol = server.member("carol", "member");

        assertThat(bob.get("/v1/messages/" + id).status()).isEqualTo(200);
        assertThat(alice.get("/v1/messages/" + id).status()).isEqualTo(200);
        assertThat(carol.get("/v1/messages/" + id).status()).isEqualTo(404);
        assertThat(carol.get("/v1/history?destination=member:bob").status()).isEqualTo(404);
        assertThat(carol.get("/v1/history").status()).isEqualTo(404);
        assertThat(server.admin().get("/v1/history").status()).isEqualTo(200);
    }

    @Test
    void who_is_mentioned_may_read_it_by_its_id_as_well() {
        Http dora = server.member("dora", "member");
        Http.Reply sent = alice.post(
                "/v1/messages",
                "{\"to\":\"member:bob\",\"message\":\"ask dora\",\"mentions\":[\"dora\"]}",
                "Idempotency-Key",
                "mention:2");
        Eventually.holds("dora finds it", () -> dora.get("/v1/mentions").body().contains("ask dora"));

        assertThat(dora.get("/v1/messages/" + sent.text("message_id")).status()).isEqualTo(200);
        assertThat(server.member("eve", "member")
                        .get("/v1/messages/" + sent.text("message_id"))
                        .status())
                .isEqualTo(404);
    }

    @Test
    void only_members_are_mentioned() {
        String body = "{\"to\":\"topic:alerts\",\"message\":\"x\",\"mentions\":[\"bob\",\"frida\"]}";

        Http.Reply before = alice.post("/v1/messages", body, "Idempotency-Key", "mention:3");
        server.member("frida", "member");
        Http.Reply after = alice.post("/v1/messages", body, "Idempotency-Key", "mention:3");

        assertThat(before.code()).isEqualTo("unknown_member");
        assertThat(before.text("detail")).contains("frida");
        assertThat(after.status()).as("the refusal left the key free").isEqualTo(201);
    }

    @Test
    void a_reply_is_to_the_id_of_a_message() {
        String body = "{\"to\":\"topic:alerts\",\"message\":\"x\",\"reply_to\":\"%s\"}";
        String id = "0198c0de-0000-7000-8000-00000000000a";

        for (String none : List.of("", "that one", "x".repeat(100_000))) {
            assertThat(alice.post("/v1/messages", body.formatted(none), "Idempotency-Key", "reply:1")
                            .code())
                    .isEqualTo("malformed_request");
        }
        assertThat(alice.post("/v1/messages", body.formatted(id), "Idempotency-Key", "reply:1")
                        .status())
                .isEqualTo(201);
    }

    @Test
    void who_is_mentioned_finds_it() {
        alice.post(
                "/v1/messages",
                "{\"to\":\"topic:alerts\",\"message\":\"look\",\"mentions\":[\"bob\"],\"meta\":{\"a\":1}}",
                "Idempotency-Key",
                "mention");

        Eventually.holds("bob finds it", () -> bob.get("/v1/mentions").body().contains("\"look\""));
    }

    @Test
    void keys_in_the_body_may_be_of_any_script() {
        String message = "{\"to\":\"topic:alerts\",\"message\":\"x\",\"client_message_id\":\"%s1\"}";

        Http.Reply one = alice.post("/v1/messages", message.formatted("\u00fc"));
        Http.Reply other = alice.post("/v1/messages", message.formatted("\u00f6"));

        assertThat(one.status()).as(one.body()).isEqualTo(201);
        assertThat(other.status()).as(other.body()).isEqualTo(201);
        assertThat(one.text("client_message_id")).isEqualTo("\u00fc1");
    }

    @Test
    void a_stream_goes_on_after_the_last_event_that_was_seen() throws Exception {
        server.admin().put("/v1/topics/ticker", "{}");
        for (int i = 1; i <= 5; i++) {
            send(alice, "t" + i, "topic:ticker", Integer.toString(i));
        }
        Eventually.holds("all have positions", () -> entries("/v1/history?destination=topic:ticker") == 5);

        List<String> first = events(0, 3);
        Thread later = Thread.ofVirtual().start(() -> send(alice, "t6", "topic:ticker", "6"));
        List<String> rest = events(Long.parseLong(first.getLast()), 3);

        later.join();
        List<String> all = new ArrayList<>(first);
        all.addAll(rest);
        assertThat(all).hasSize(6).doesNotHaveDuplicates();
    }

    private static int entries(String path) {
        return ((Json.ArrayValue) alice.get(path).at("entries")).elements().size();
    }

    /** The positions of the next events after one. */
    private static List<String> events(long after, int number) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(
                        server.server().address().resolve("/v1/history/stream?destination=topic:ticker"))
                .header("Authorization", "Bearer " + alice.token())
                .header("Last-Event-ID", Long.toString(after))
                .build();
        List<String> ids = new ArrayList<>();
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<InputStream> response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
            assertThat(response.headers().firstValue("Content-Type")).contains("text/event-stream");
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
                while (ids.size() < number) {
                    String line = lines.readLine();
                    assertThat(line)
                            .as("events come before the next sign of life")
                            .isNotEqualTo(": still here");
                    if (line.startsWith("id: ")) {
                        ids.add(line.substring(4));
                    }
                }
            }
            client.shutdownNow();
        }
        return ids;
    }

    @Test
    void messages_are_found_by_their_words_by_those_who_may_see_all() {
        send(alice, "find:1", "topic:alerts", "\"the pump in cellar nine is wet\"");
        Http watcher = server.member("watcher", "observer");

        Eventually.holds(
                "the message is found",
                () -> watcher.get("/v1/search?words=pump%20-dry").body().contains("cellar nine"));

        assertThat(watcher.get("/v1/search?words=pump%20-wet").body()).doesNotContain("cellar nine");
        assertThat(watcher.get("/v1/search").status()).isEqualTo(400);
        for (String none : List.of("-".repeat(50) + "wet", "-%20".repeat(50) + "wet", "wet".repeat(1_000), "%00")) {
            assertThat(watcher.get("/v1/search?words=" + none).code()).isEqualTo("malformed_request");
        }
        assertThat(alice.get("/v1/search?words=pump").status()).isEqualTo(403);
    }
}
