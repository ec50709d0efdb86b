package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Json;
import dev.tallystick.engine.seal.JobProof;
import dev.tallystick.engine.seal.SealSettings;
import dev.tallystick.engine.seal.Sealer;
import dev.tallystick.log.receipt.Receipt;
import dev.tallystick.log.receipt.Trust;
import dev.tallystick.log.receipt.Verdict;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.Workflow;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The library hands out the receipts of its jobs, if another process seals the jobs of its database. */
class ReceiptGuideTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    @TempDir
    Path scratch;

    static final class Echo implements Workflow<String, String> {

        @Override
        public String run(Context ctx, String input) {
            return ctx.step("echo", String.class, () -> input);
        }
    }

    @Test
    void a_job_of_the_library_has_a_receipt_once_it_is_sealed() throws Exception {
        try (Tallystick tally =
                Tallystick.builder().dataSource(postgres.dataSource()).build()) {
            tally.register("echo", Echo.class);
            tally.start();
            JobHandle<String> job = tally.submit("echo", "hello", Submit.key("k"));
            job.result(Duration.ofSeconds(30));
            assertThat(job.receipt()).isEqualTo(new JobProof.Unsealed(false));

            try (Sealer sealer = Sealer.open(
                    Database.on(postgres.dataSource()),
                    SealSettings.in(scratch),
                    "test.example/log",
                    CrashPoints.NONE)) {
                assertThat(job.receipt()).isEqualTo(new JobProof.Unsealed(true));
                sealer.seal();
                Path file = scratch.resolve("receipt.json");
                if (job.receipt() instanceof JobProof.Proven proven) {
                    Files.write(file, proven.receipt());
                }

                Verdict<Receipt.Facts> verdict = Receipt.verify(Files.readAllBytes(file), Trust.of(sealer.rootKey()));
                assertThat(verdict).isInstanceOf(Verdict.Proven.class);
                Receipt.Facts facts = ((Verdict.Proven<Receipt.Facts>) verdict).facts();
                assertThat(facts.accepted()).containsEntry("key", Json.of("k"));
                assertThat(facts.closed().orElseThrow()).containsEntry("outcome", Json.of("completed"));
                JobProof brief = job.receipt("outcome");
                assertThat(new String(((JobProof.Proven) brief).receipt(), StandardCharsets.UTF_8))
                        .contains("completed")
                        .doesNotContain("library");
            }
        }
    }
}
