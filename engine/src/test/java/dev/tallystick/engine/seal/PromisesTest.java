package dev.tallystick.engine.seal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.log.audit.LogAudit;
import dev.tallystick.log.audit.TagProof;
import dev.tallystick.log.receipt.SignedPromise;
import dev.tallystick.log.receipt.Trust;
import dev.tallystick.log.receipt.Verdict;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.JobId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What is promised when a job is accepted is what the sealer writes. */
class PromisesTest {

    private static final ScopedKey KEY = ScopedKey.of("key");
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
    private static final Fingerprint REQUEST = Fingerprint.of("request");

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    @TempDir
    Path files;

    private Workbench workbench;
    private Engine engine;
    private Sealer sealer;

    @BeforeEach
    void open() {
        workbench = new Workbench(postgres.dataSource());
        workbench.workflow("one", (ctx, input) -> ctx.step("one", String.class, () -> "done"));
        engine = workbench.start();
        sealer = open(Duration.ofMinutes(1));
    }

    private Sealer open(Duration lease) {
        return Sealer.open(
                workbench.database(), SealSettings.in(files).lease(lease), "test.example/log", CrashPoints.NONE);
    }

    @AfterEach
    void close() {
        sealer.close();
        workbench.close();
    }

    private boolean isKept(byte[] promise) throws IOException {
        Verdict<SignedPromise.Facts> verdict = SignedPromise.verify(promise, Trust.of(sealer.rootKey()), List.of());
        assertThat(verdict).isInstanceOf(Verdict.Proven.class);
        var tag = ((Verdict.Proven<SignedPromise.Facts>) verdict)
                .facts()
                .promise()
                .tag();
        TagProof found = LogAudit.lookUp(files.resolve("log"), sealer.rootKey(), tag)
                .proof()
                .orElseThrow();
        return found.has(tag);
    }

    private byte[] promise(int acceptance, JobId job) {
        return sealer.promises().promise(KEY, acceptance, job.value(), REQUEST, NOON);
    }

    @Test
    void the_sealer_writes_the_promised_tag_also_for_a_key_that_was_accepted_before() throws Exception {
        sealer.seal();
        assertThat(sealer.promises().nextAcceptance(KEY)).hasValue(0);
        JobId first = workbench.submit(engine, "one", "key");
        sealer.seal();
        assertThat(isKept(promise(0, first))).isTrue();
        assertThat(isKept(promise(1, first))).isFalse();

        workbench.await(engine, first);
        workbench.database().transact("forget the key", tx -> tx.update("delete from tally.key"));
        assertThat(sealer.promises().nextAcceptance(KEY)).hasValue(1);
        JobId second = workbench.submit(engine, "one", "key");
        sealer.seal();
        assertThat(isKept(promise(1, second))).isTrue();
        assertThat(isKept(promise(2, second))).isFalse();
    }

    @Test
    void a_process_without_the_lease_numbers_nothing_and_repeats_what_was_promised() {
        assertThat(sealer.promises().nextAcceptance(KEY)).isEmpty();
        sealer.seal();
        JobId job = workbench.submit(engine, "one", "key");
        byte[] promised = promise(0, job);

        try (Sealer standby = open(Duration.ofMinutes(1))) {
            standby.seal();
            assertThat(standby.promises().nextAcceptance(KEY)).isEmpty();
            assertThat(standby.promises().promise(KEY, 0, job.value(), REQUEST, NOON))
                    .isEqualTo(promised);
        }
    }
}
