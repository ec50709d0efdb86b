package dev.tallystick.engine.seal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Json;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.log.note.NoteSigner;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.receipt.KeyProof;
import dev.tallystick.log.receipt.Receipt;
import dev.tallystick.log.receipt.Trust;
import dev.tallystick.log.receipt.Verdict;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.JobId;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A receipt proves what became of a job to everyone who has the log's public key, and nothing else. */
class ReceiptsTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    @TempDir
    Path files;

    private Workbench workbench;
    private Engine engine;
    private Sealer sealer;
    private Receipts receipts;

    @BeforeEach
    void open() {
        workbench = new Workbench(postgres.dataSource());
        workbench.workflow("one", (ctx, input) -> ctx.step("one", String.class, () -> "done"));
        workbench.workflow("family", (ctx, input) -> {
            ctx.step("first", String.class, () -> "done");
            return ctx.child("one", input, String.class);
        });
        workbench.workflow("again", (ctx, input) -> input.equals("last") ? "done" : ctx.continueAsNew("last"));
        workbench.workflow("waiting", (ctx, input) -> ctx.await("go", String.class));
        engine = workbench.start();
        sealer = Sealer.open(
                workbench.database(),
                SealSettings.in(files).lease(Duration.ZERO),
                "test.example/log",
                CrashPoints.NONE);
        receipts = new Receipts(workbench.database());
    }

    @AfterEach
    void close() {
        sealer.close();
        workbench.close();
    }

    private JobId run(String key) {
        JobId job = workbench.submit(engine, "one", key);
        workbench.await(engine, job);
        return job;
    }

    private byte[] receipt(JobId job) {
        return ((JobProof.Proven) receipts.prove("default", job.value(), ShownFields.ALL)).receipt();
    }

    private Receipt.Facts facts(byte[] receipt) {
        Verdict<Receipt.Facts> verdict = Receipt.verify(receipt, Trust.of(sealer.rootKey()));
        assertThat(verdict).isInstanceOf(Verdict.Proven.class);
        return ((Verdict.Proven<Receipt.Facts>) verdict).facts();
    }

    @Test
    void a_closed_job_is_proven_with_key_times_outcome_and_digits() {
        JobId job = run("key");
        sealer.seal();

        Receipt.Facts facts = facts(receipt(job));

        assertThat(facts.job()).isEqualTo(job.toString());
        assertThat(facts.accepted())
                .containsEntry("key", Json.of("key"))
                .containsEntry("member", Json.of("library"))
                .containsEntry("workflow", Json.of("one"))
                .containsKeys("fingerprint", "accepted_at");
        assertThat(facts.closed().orElseThrow())
                .containsEntry("outcome", Json.of("completed"))
                .containsKeys("closed_at", "output_sha256", "digits_root");
        Json.ArrayValue rows =
                (Json.ArrayValue) Objects.requireNonNull(facts.closed().get().get("digits"));
        List<String> digits = rows.elements().stream()
                .map(row -> ((Json.StringValue) row).value())
                .toList();
        assertThat(digits).hasSize(4);
        for (String line : workbench.activities(job)) {
            String ledger = line.substring(line.lastIndexOf(' ') + 1);
            assertThat(digits).anyMatch(row -> row.startsWith("[\"activity\"") && row.contains(ledger));
        }
        assertThat(facts.closed().get().get("digits_root"))
                .isEqualTo(Json.of(SealRecords.root(digits).base64()));
    }

    @Test
    void only_the_fields_that_are_asked_for_are_open_and_the_receipt_verifies_without_the_others() {
        JobId job = run("key");
        sealer.seal();
        Receipt.Facts all = facts(receipt(job));
        assertThat(SealRecords.FIELDS)
                .containsAll(all.accepted().keySet())
                .containsAll(all.closed().orElseThrow().keySet());

        byte[] brief = ((JobProof.Proven)
                        receipts.prove("default", job.value(), ShownFields.of(List.of("outcome", "output", "error"))))
                .receipt();

        assertThat(facts(brief).accepted()).containsOnlyKeys("job");
        assertThat(facts(brief).closed().orElseThrow()).containsOnlyKeys("job", "outcome", "output_sha256");
        assertThat(new String(brief, UTF_8)).doesNotContain("library");
        assertThat(Receipt.verify(
                        new String(brief, UTF_8)
                                .replace("\"completed\"", "\"failed\"")
                                .getBytes(UTF_8),
                        Trust.of(sealer.rootKey())))
                .isInstanceOf(Verdict.Refused.class);
        assertThatThrownBy(() -> ShownFields.of(List.of("salt"))).hasMessageContaining("no record has a field 'salt'");
    }

    @Test
    void an_open_job_is_proven_as_accepted_and_its_end_once_that_is_sealed() {
        JobId job = workbench.submit(engine, "waiting", "key");
        assertThat(receipts.prove("default", job.value(), ShownFields.ALL)).isEqualTo(new JobProof.Unsealed(true));
        sealer.seal();
        assertThat(facts(receipt(job)).closed()).isEmpty();

        workbench.signal(engine, job, "go");
        workbench.await(engine, job);
        assertThat(receipts.prove("default", job.value(), ShownFields.ALL)).isEqualTo(new JobProof.Pending());
        sealer.seal();
        assertThat(facts(receipt(job)).closed()).isPresent();
    }

    @Test
    void a_receipt_outlives_the_job_and_does_not_age() {
        JobId job = run("key");
        sealer.seal();
        byte[] early = receipt(job);
        workbench.database().transact("drop", tx -> tx.update("delete from tally.job"));
        // More entries than a tile has.
        List<CompletableFuture<Accepted>> answers = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            answers.add(engine.submit(workbench.submission("one", "later" + i, "input")));
        }
        List<JobId> later = answers.stream()
                .map(answer -> ((Accepted.Fresh) answer.join()).job())
                .toList();
        later.forEach(each -> workbench.await(engine, each));
        sealer.seal();

        assertThat(facts(receipt(job)).accepted()).isEqualTo(facts(early).accepted());
        for (int i = 0; i < later.size(); i += 30) {
            assertThat(facts(receipt(later.get(i))).closed()).isPresent();
        }
    }

    private KeyProof.Facts keyFacts(String key) {
        byte[] proof = sealer.proveKey(ScopedKey.of(key)).orElseThrow();
        Verdict<KeyProof.Facts> verdict = KeyProof.verify(proof, Trust.of(sealer.rootKey()));
        assertThat(verdict).isInstanceOf(Verdict.Proven.class);
        return ((Verdict.Proven<KeyProof.Facts>) verdict).facts();
    }

    @Test
    void a_key_is_proven_as_accepted_exactly_once_or_never_or_again_after_its_expiry() {
        assertThat(sealer.proveKey(ScopedKey.of("key"))).isEmpty();
        JobId job = run("key");
        sealer.seal();
        assertThat(keyFacts("key").acceptances()).containsExactly(job.toString());
        assertThat(keyFacts("other").acceptances()).isEmpty();

        workbench.database().transact("forget the key", tx -> tx.update("delete from tally.key"));
        JobId again = run("key");
        sealer.seal();
        assertThat(keyFacts("key").acceptances()).containsExactly("", again.toString());
    }

    private List<String> descendants(String key) {
        return keyFacts(key).descendants().stream()
                .map(each -> each.kind().word() + " of " + each.origin())
                .toList();
    }

    @Test
    void the_proof_of_a_key_lists_what_came_from_its_job() {
        JobId job = workbench.submit(engine, "family", "key");
        workbench.await(engine, job);
        sealer.seal();
        JobId rerun = engine.reruns().rerun("default", job);
        workbench.await(engine, rerun);
        JobId fork = engine.reruns().fork("default", job, "first");
        workbench.await(engine, fork);
        workbench.await(engine, workbench.submit(engine, "again", "other"));
        assertThat(descendants("key")).containsExactly("child of " + job);
        sealer.seal();

        assertThat(descendants("key"))
                .containsExactlyInAnyOrder(
                        "child of " + job,
                        "rerun of " + job,
                        "child of " + rerun,
                        "fork of " + job,
                        "child of " + fork);
        assertThat(descendants("other")).singleElement().asString().startsWith("continuation of ");
        assertThat(descendants("absent")).isEmpty();

        workbench.database().transact("drop", tx -> tx.update("delete from tally.job"));
        workbench
                .database()
                .transact(
                        "erase",
                        tx -> tx.update("update tally.sealed_job set salt = null where id = ?", rerun.value()));
        assertThat(descendants("key"))
                .containsExactlyInAnyOrder("child of " + job, "fork of " + job, "child of " + fork);
    }

    @Test
    void a_changed_receipt_a_foreign_key_and_a_foreign_mesh_prove_nothing() {
        JobId job = run("key");
        sealer.seal();
        String receipt = new String(receipt(job), UTF_8);

        assertThat(Receipt.verify(
                        receipt.replace("\"completed\"", "\"failed\"").getBytes(UTF_8), Trust.of(sealer.rootKey())))
                .isInstanceOf(Verdict.Refused.class);
        NoteSigner other = NoteSigner.generate("test.example/log", VerifierKey.Type.NOTE, new SecureRandom());
        assertThat(Receipt.verify(receipt.getBytes(UTF_8), Trust.of(other.key())))
                .isInstanceOf(Verdict.Refused.class);
        assertThat(receipts.prove("elsewhere", job.value(), ShownFields.ALL)).isEqualTo(new JobProof.Unsealed(true));
    }
}
