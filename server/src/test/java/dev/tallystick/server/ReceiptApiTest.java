package dev.tallystick.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.client.TallyClient;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.receipt.KeyProof;
import dev.tallystick.log.receipt.Receipt;
import dev.tallystick.log.receipt.Trust;
import dev.tallystick.log.receipt.Verdict;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** One of two servers seals; both hand out receipts, which the public key of the log verifies. */
class ReceiptApiTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path one;

    @TempDir
    static Path two;

    private static ServerUnderTest sealing;
    private static ServerUnderTest other;

    @BeforeAll
    static void start() {
        sealing = ServerUnderTest.sealing(postgres, one);
        other = ServerUnderTest.on(postgres, two);
    }

    @AfterAll
    static void stop() {
        sealing.close();
        other.close();
    }

    private static Http.Reply receipt(Http member, String job) {
        return Eventually.value(
                "the job is sealed", () -> member.get("/v1/jobs/" + job + "/receipt"), reply -> reply.status() != 409);
    }

    private static Receipt.Facts facts(Json receipt) throws IOException {
        VerifierKey root =
                VerifierKey.parse(Files.readString(one.resolve("root.pub")).strip());
        Verdict<Receipt.Facts> verdict = Receipt.verify(receipt.canonical().getBytes(UTF_8), Trust.of(root));
        assertThat(verdict).isInstanceOf(Verdict.Proven.class);
        return ((Verdict.Proven<Receipt.Facts>) verdict).facts();
    }

    @Test
    void every_server_hands_out_receipts_of_jobs_that_any_of_them_accepted() throws Exception {
        Http member = sealing.member("alice", "member");
        Http atOther = new Http(other.server().address(), member.token());
        String job = atOther.submit("order:1", "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"1\"}}")
                .text("job_id");
        assertThat(atOther.get("/v1/jobs/" + job + "/result?wait=30").text("status"))
                .isEqualTo("completed");

        for (Http each : new Http[] {member, atOther}) {
            Http.Reply reply = receipt(each, job);
            assertThat(reply.status()).as(reply.body()).isEqualTo(200);
            Receipt.Facts facts = facts(reply.at("receipt"));
            assertThat(facts.job()).isEqualTo(job);
            assertThat(facts.accepted())
                    .containsEntry("key", Json.of("order:1"))
                    .containsEntry("member", Json.of("alice"));
            assertThat(facts.closed().orElseThrow()).containsEntry("outcome", Json.of("completed"));
        }
        assertThat(facts(new TallyClient(other.server().address(), member.token(), Duration.ofSeconds(30))
                                .jobs()
                                .receipt(UUID.fromString(job)))
                        .job())
                .isEqualTo(job);
    }

    @Test
    void another_mesh_gets_no_receipt_and_an_unknown_job_has_none() {
        Http member = sealing.member("bob", "member");
        String job = member.submit("order:2", "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"2\"}}")
                .text("job_id");
        assertThat(receipt(member, job).status()).isEqualTo(200);

        assertThat(sealing.mesh("strangers").get("/v1/jobs/" + job + "/receipt").code())
                .isEqualTo("not_found");
        assertThat(member.get("/v1/jobs/" + UUID.randomUUID() + "/receipt").code())
                .isEqualTo("not_found");
    }

    @Test
    void the_sealing_server_proves_that_a_key_was_accepted_once_or_never() throws Exception {
        Http member = sealing.member("carol", "member");
        String job = member.submit("order:3", "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"3\"}}")
                .text("job_id");
        receipt(member, job);
        VerifierKey root =
                VerifierKey.parse(Files.readString(one.resolve("root.pub")).strip());
        TallyClient client = new TallyClient(sealing.server().address(), member.token(), Duration.ofSeconds(30));

        assertThat(KeyProof.verify(
                        client.keys().prove(new IdempotencyKey("order:3")).canonicalBytes(), Trust.of(root)))
                .isInstanceOfSatisfying(
                        Verdict.Proven.class,
                        proven -> assertThat(((KeyProof.Facts) proven.facts()).acceptances())
                                .containsExactly(job));
        assertThat(KeyProof.verify(
                        client.keys().prove(new IdempotencyKey("order:4")).canonicalBytes(), Trust.of(root)))
                .isInstanceOfSatisfying(
                        Verdict.Proven.class,
                        proven -> assertThat(((KeyProof.Facts) proven.facts()).acceptances())
                                .isEmpty());
        assertThat(new Http(other.server().address(), member.token())
                        .get("/v1/keys/order:3/proof")
                        .code())
                .isEqualTo("not_sealed");
    }

    @Test
    void the_lag_and_the_alarm_are_metrics() {
        assertThat(sealing.admin().get("/metrics").body())
                .contains("tally_seal_lag_seconds")
                .contains("tally_seal_alarm 0.0");
    }

    @Test
    void a_second_server_without_the_keys_of_the_log_cannot_seal(@TempDir Path third) {
        assertThatThrownBy(() -> ServerUnderTest.sealing(postgres, third))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("restore both");
    }
}
