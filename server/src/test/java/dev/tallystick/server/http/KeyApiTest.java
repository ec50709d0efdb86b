package dev.tallystick.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.keys.StoredResponse;
import dev.tallystick.server.Http;
import dev.tallystick.server.ServerUnderTest;
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
    void an_admin_sees_who_holds_a_key_and_resolves_it_and_the_holder_comes_too_late() {
        Http.Reply reserved = reserve("dead", ONE);

        Http.Reply seen = server.admin().get("/v1/keys/dead");
        Json.ObjectValue held = (Json.ObjectValue)
                ((Json.ArrayValue) seen.at("keys")).elements().getFirst();
        assertThat(held.members())
                .containsEntry("member", Json.of("alice"))
                .containsEntry("holder", Json.of("member alice"))
                .containsEntry("status", Json.of("pending"))
                .containsEntry("reservation_id", reserved.at("reservation_id"))
                .containsEntry("fence", Json.of(1))
                .containsKey("since");
        assertThat(server.admin().get("/v1/keys").body()).contains("\"key\":\"dead\"");

        Http.Reply resolved = resolve("dead", reserved, "\"outcome\":\"committed\",\"response\":7");
        assertThat(resolved.text("status")).as(resolved.body()).isEqualTo("committed");
        assertThat(settle("dead", "commit", reserved, "7").code()).isEqualTo("reservation_lost");
        assertThat(reserve("dead", ONE).at("response")).isEqualTo(Json.of(7));
        assertThat(resolve("dead", reserved, "\"outcome\":\"committed\",\"response\":7")
                        .status())
                .as("again, after a lost reply")
                .isEqualTo(200);
        assertThat(resolve("dead", reserved, "\"outcome\":\"rejected\"").code()).isEqualTo("reservation_lost");
        assertThat(server.admin().get("/v1/keys").body()).doesNotContain("\"key\":\"dead\"");
        assertThat(server.admin().get("/v1/keys/dead").body()).contains("\"holder\":\"operator admin\"");
    }

    @Test
    void a_key_that_an_admin_has_released_is_free() {
        Http.Reply reserved = reserve("idle", ONE);

        assertThat(resolve("idle", reserved, "\"outcome\":\"released\"").text("status"))
                .isEqualTo("released");

        assertThat(settle("idle", "commit", reserved, "1").code()).isEqualTo("reservation_lost");
        assertThat(reserve("idle", OTHER).status()).isEqualTo(201);
        assertThat(resolve("idle", reserved, "\"outcome\":\"gone\"").code()).isEqualTo("malformed_request");
    }

    @Test
    void a_member_sees_its_own_reservations_and_no_other() {
        Http bob = server.member("bob", "member");
        Http.Reply reserved = reserve("mine", ONE);

        assertThat(http.get("/v1/keys/mine").body()).contains(reserved.text("reservation_id"));
        assertThat(bob.get("/v1/keys/mine").code()).isEqualTo("not_found");
    }

    private static Http.Reply resolve(String key, Http.Reply reserved, String outcome) {
        return server.admin()
                .post(
                        "/v1/keys/" + key + "/resolve",
                        "{\"member\":\"alice\",\"reservation_id\":\"" + reserved.text("reservation_id")
                                + "\",\"fence\":1," + outcome + "}");
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
