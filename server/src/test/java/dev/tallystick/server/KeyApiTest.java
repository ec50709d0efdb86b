package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.keys.StoredResponse;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The reserve door over HTTP. */
class KeyApiTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static final String ONE = "11".repeat(32);
    private static final String OTHER = "22".repeat(32);

    private static ServerUnderTest server;
    private static Http http;

    @BeforeAll
    static void start() {
        server = ServerUnderTest.waiting("5", postgres, data);
        http = server.member("alice", "member");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Http.Reply reserve(String key, String fingerprint) {
        return http.post("/v1/keys/" + key + "/reserve", "{\"fingerprint\":\"" + fingerprint + "\"}");
    }

    private static Http.Reply settle(String key, String verb, Http.Reply reserved, @Nullable String response) {
        String body = "{\"reservation_id\":\"" + reserved.text("reservation_id") + "\",\"fence\":"
                + reserved.at("fence").canonical() + (response == null ? "" : ",\"response\":" + response) + "}";
        return http.post("/v1/keys/" + key + "/" + verb, body);
    }

    @Test
    void a_reservation_that_is_committed_answers_every_repeat_also_after_a_restart() {
        Http.Reply reserved = reserve("order%2F1", ONE);
        assertThat(reserved.status()).as(reserved.body()).isEqualTo(201);
        Http.Reply committed = settle("order%2F1", "commit", reserved, "{\"receipt\":7}");
        assertThat(committed.text("status")).isEqualTo("committed");

        server.restart();
        http = new Http(server.server().address(), http.token());
        Http.Reply again = reserve("order%2F1", ONE);

        assertThat(again.status()).isEqualTo(200);
        assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(again.text("key")).isEqualTo("order/1");
        assertThat(again.at("response")).isEqualTo(Json.parse("{\"receipt\":7}"));
        assertThat(settle("order%2F1", "commit", reserved, "{\"receipt\":7}").status())
                .as("a repeat of the commit")
                .isEqualTo(200);
    }

    @Test
    void a_rejection_is_remembered_too() {
        settle("r", "reject", reserve("r", ONE), "\"no\"");

        Http.Reply again = reserve("r", ONE);

        assertThat(again.text("status")).isEqualTo("rejected");
        assertThat(again.text("response")).isEqualTo("no");
    }

    @Test
    void a_release_makes_the_key_free() {
        assertThat(settle("f", "release", reserve("f", ONE), null).text("status"))
                .isEqualTo("released");

        assertThat(reserve("f", OTHER).status()).isEqualTo(201);
    }

    @Test
    void a_pending_key_is_never_given_to_a_second_one_and_its_owner_can_settle_it() {
        Http.Reply reserved = reserve("p", ONE);

        Http.Reply second = reserve("p", ONE);

        assertThat(second.status()).isEqualTo(409);
        assertThat(second.code()).isEqualTo("request_in_progress");
        assertThat(second.header("Retry-After")).isEqualTo("1");
        assertThat(second.text("reservation_id")).isEqualTo(reserved.text("reservation_id"));
        assertThat(settle("p", "commit", second, "1").status()).isEqualTo(200);
        assertThat(settle("p", "release", reserved, null).code()).isEqualTo("reservation_lost");
    }

    @Test
    void a_second_one_waits_for_the_verdict_of_the_first_and_gets_its_answer() {
        Http.Reply reserved = reserve("w", ONE);
        CompletableFuture<Http.Reply> second = CompletableFuture.supplyAsync(
                () -> reserve("w", ONE), task -> Thread.ofVirtual().start(task));
        Eventually.holds("it waits", () -> server.server().waits().number() == 1);

        settle("w", "commit", reserved, "7");

        assertThat(second.join().status()).as(second.join().body()).isEqualTo(200);
        assertThat(second.join().at("response")).isEqualTo(Json.of(7));
    }

    @Test
    void a_response_that_is_too_large_is_refused_and_the_key_can_be_settled_with_a_smaller_one() {
        Http.Reply reserved = reserve("large", ONE);

        Http.Reply refused = settle("large", "commit", reserved, "\"" + "x".repeat(StoredResponse.MAX_BYTES) + "\"");

        assertThat(refused.status()).as(refused.body()).isEqualTo(413);
        assertThat(refused.code()).isEqualTo("payload_too_large");
        assertThat(settle("large", "commit", reserved, "\"x\"").status()).isEqualTo(200);
    }

    @Test
    void a_reserve_that_is_repeated_after_a_lost_reply_holds_the_key() {
        String body = "{\"fingerprint\":\"" + ONE + "\",\"reservation_id\":\"00000000-0000-4000-8000-00000000000a\"}";

        assertThat(http.post("/v1/keys/l/reserve", body).status()).isEqualTo(201);
        assertThat(http.post("/v1/keys/l/reserve", body).status()).isEqualTo(201);
    }

    @Test
    void another_request_under_the_key_is_refused_with_both_fingerprints() {
        reserve("o", ONE);

        Http.Reply other = reserve("o", OTHER);

        assertThat(other.code()).isEqualTo("idempotency_key_reused");
        assertThat(other.text("bound_fingerprint")).isEqualTo("11".repeat(8));
        assertThat(other.text("offered_fingerprint")).isEqualTo("22".repeat(8));
    }

    @Test
    void the_two_doors_know_nothing_of_each_other() {
        reserve("d", ONE);

        assertThat(http.submit("d", "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"d\"}}")
                        .status())
                .isEqualTo(201);
    }
}
