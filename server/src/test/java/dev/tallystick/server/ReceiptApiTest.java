package dev.tallystick.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.client.TallyClient;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.log.audit.LogAudit;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.receipt.KeyProof;
import dev.tallystick.log.receipt.Receipt;
import dev.tallystick.log.receipt.SignedPromise;
import dev.tallystick.log.receipt.Trust;
import dev.tallystick.log.receipt.Verdict;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
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
    void a_receipt_opens_the_fields_that_are_asked_for() throws Exception {
        Http member = sealing.member("frank", "member");
        String job = submit(member, "order:5").text("job_id");
        assertThat(member.get("/v1/jobs/" + job + "/result?wait=30").status()).isEqualTo(200);
        Http.Reply whole = Eventually.value(
                "the end is sealed",
                () -> member.get("/v1/jobs/" + job + "/receipt"),
                reply -> reply.body().contains("\"outcome\""));
        assertThat(facts(whole.at("receipt")).accepted()).containsKey("key");
        TallyClient client = new TallyClient(sealing.server().address(), member.token(), Duration.ofSeconds(30));

        Json.ObjectValue brief = client.jobs().receipt(UUID.fromString(job), "outcome", "output");

        assertThat(facts(brief).accepted()).containsOnlyKeys("job");
        assertThat(facts(brief).closed().orElseThrow()).containsOnlyKeys("job", "outcome", "output_sha256");
        assertThat(member.get("/v1/jobs/" + job + "/receipt?show=salt").code()).isEqualTo("malformed_request");
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
    void a_member_that_was_deleted_and_created_again_proves_only_its_own_acceptance() throws Exception {
        Http before = sealing.member("grace", "member");
        String first = submit(before, "order:6").text("job_id");
        receipt(before, first);
        sealing.admin().delete("/v1/members/grace");
        Http again = sealing.member("grace", "member");
        VerifierKey root =
                VerifierKey.parse(Files.readString(one.resolve("root.pub")).strip());

        KeyProof.Facts never = keyFacts(again, "order:6", root);
        String second = submit(again, "order:6").text("job_id");
        receipt(again, second);
        KeyProof.Facts once = keyFacts(again, "order:6", root);

        assertThat(never.member()).isEqualTo("grace#2");
        assertThat(never.acceptances()).isEmpty();
        assertThat(second).isNotEqualTo(first);
        assertThat(once.acceptances()).containsExactly(second);
    }

    private static KeyProof.Facts keyFacts(Http member, String key, VerifierKey root) {
        TallyClient client = new TallyClient(sealing.server().address(), member.token(), Duration.ofSeconds(30));
        Verdict<KeyProof.Facts> verdict =
                KeyProof.verify(client.keys().prove(new IdempotencyKey(key)).canonicalBytes(), Trust.of(root));
        assertThat(verdict).isInstanceOf(Verdict.Proven.class);
        return ((Verdict.Proven<KeyProof.Facts>) verdict).facts();
    }

    private static Http.Reply submit(Http member, String key) {
        return member.submit(key, "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"9\"}}");
    }

    @Test
    void an_accepted_job_is_promised_to_be_sealed_and_its_repeat_gets_the_same_promise() throws Exception {
        Http member = sealing.member("dave", "member");
        // A server that has just started promises nothing before it has the lease of the log.
        AtomicInteger attempt = new AtomicInteger();
        Http.Reply first = Eventually.value(
                "a promise",
                () -> submit(member, "promised:" + attempt.incrementAndGet()),
                reply -> reply.body().contains("\"promise\""));
        String key = "promised:" + attempt.get();
        assertThat(first.status()).isEqualTo(201);
        byte[] promise = first.at("promise").canonicalBytes();
        Trust trust = Trust.of(
                VerifierKey.parse(Files.readString(one.resolve("root.pub")).strip()));
        Verdict<SignedPromise.Facts> verdict = SignedPromise.verify(promise, trust, List.of());
        assertThat(verdict).isInstanceOf(Verdict.Proven.class);
        SignedPromise.Facts facts = ((Verdict.Proven<SignedPromise.Facts>) verdict).facts();
        assertThat(facts.promise().job()).isEqualTo(first.text("job_id"));
        assertThat(facts.fingerprint()).contains(first.text("fingerprint"));
        assertThat(facts.promise().acceptedAt()).isEqualTo(Instant.parse(first.text("accepted_at")));

        assertThat(submit(member, key).body().replace("\"duplicate\":true", "\"duplicate\":false"))
                .isEqualTo(first.body());
        TallyClient client = new TallyClient(sealing.server().address(), member.token(), Duration.ofSeconds(30));
        TallyClient.NewJob job =
                TallyClient.NewJob.of("sample.order", new Json.ObjectValue(Map.of("order", Json.of("9"))));
        assertThat(client.submit(job, new IdempotencyKey(key)).promise()).isEqualTo(first.at("promise"));

        assertThat(receipt(member, first.text("job_id")).status()).isEqualTo(200);
        assertThat(LogAudit.lookUp(
                                one.resolve("log"), trust.key(), facts.promise().tag())
                        .proof()
                        .orElseThrow()
                        .has(facts.promise().tag()))
                .isTrue();
    }

    @Test
    void a_server_without_the_key_of_the_log_promises_nothing_and_neither_does_a_repeat_elsewhere() {
        Http member = sealing.member("erin", "member");
        Http atOther = new Http(other.server().address(), member.token());

        assertThat(submit(atOther, "unpromised").body()).doesNotContain("\"promise\"");
        Http.Reply repeat = submit(member, "unpromised");
        assertThat(repeat.status()).isEqualTo(200);
        assertThat(repeat.body()).doesNotContain("\"promise\"");
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
