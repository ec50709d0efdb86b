package dev.tallystick.engine.seal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.log.audit.LogAudit;
import dev.tallystick.log.audit.MemberAudit;
import dev.tallystick.log.files.LogCrashPoint;
import dev.tallystick.log.note.NoteSigner;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.receipt.Receipt;
import dev.tallystick.log.receipt.Trust;
import dev.tallystick.log.receipt.Verdict;
import dev.tallystick.testkit.CrashAt;
import dev.tallystick.testkit.SimulatedCrash;
import dev.tallystick.workflow.JobId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A log changes its signing key; its root key verifies everything, before and after. */
class KeyRotationTest extends SealingRig {

    private Path secrets() {
        return files.resolve("seal");
    }

    private VerifierKey request() throws IOException {
        return ((SigningKeys.Request.Made) SigningKeys.request(secrets(), LogNumber.FIRST, CrashPoints.NONE)).next();
    }

    private byte[] receipt(JobId job) {
        return ((JobProof.Proven) new Receipts(workbench.database()).prove("default", job.value(), ShownFields.ALL))
                .receipt();
    }

    private static boolean isProven(byte[] receipt, Trust trust) {
        return Receipt.verify(receipt, trust) instanceof Verdict.Proven<Receipt.Facts>;
    }

    private SignedNote checkpoint() throws IOException {
        return SignedNote.parse(Files.readAllBytes(files.resolve("log/checkpoint")));
    }

    private void logIsClean(VerifierKey root) throws IOException {
        assertThat(LogAudit.audit(files.resolve("log"), root, new MemberAudit()).findings())
                .isEmpty();
    }

    @Test
    void receipts_of_before_and_after_verify_with_the_root_key() throws Exception {
        Sealer sealer = sealer();
        VerifierKey root = sealer.rootKey();
        JobId first = run("one", "first");
        sealer.seal();
        byte[] before = receipt(first);
        VerifierKey next = request();
        sealer.seal();
        JobId second = run("one", "second");
        sealer.seal();

        assertThat(sealer.rootKey()).isEqualTo(root);
        assertThat(checkpoint().isSignedBy(next)).isTrue();
        assertThat(checkpoint().isSignedBy(root)).isFalse();
        assertThat(isProven(before, Trust.of(root))).isTrue();
        assertThat(isProven(receipt(first), Trust.of(root))).isTrue();
        assertThat(isProven(receipt(second), Trust.of(root))).isTrue();
        assertThat(isProven(receipt(second), Trust.of(next).withCurrentKeyOnly()))
                .isTrue();
        assertThat(isProven(before, Trust.of(next).withCurrentKeyOnly()))
                .as("signed by a retired key")
                .isFalse();
        logIsClean(root);
        assertThat(NoteSigner.parse(Files.readString(secrets().resolve("signing.key")))
                        .key())
                .isEqualTo(next);
        assertThat(secrets().resolve("next.key")).doesNotExist();
        everythingIsSealedOnce();
    }

    @Test
    void a_log_changes_its_key_again_and_again_and_across_restarts() throws Exception {
        VerifierKey root = sealer().rootKey();
        JobId job = run("one", "key");
        for (int i = 0; i < 3; i++) {
            request();
            sealer().seal();
            run("one", "key" + i);
            sealer().seal();
        }

        assertThat(sealer().rootKey()).isEqualTo(root);
        assertThat(isProven(receipt(job), Trust.of(root))).isTrue();
        logIsClean(root);
        everythingIsSealedOnce();
    }

    @Test
    void a_second_request_waits_for_the_first() throws Exception {
        sealer();
        VerifierKey next = request();

        assertThat(SigningKeys.request(secrets(), LogNumber.FIRST, CrashPoints.NONE))
                .isEqualTo(new SigningKeys.Request.Pending(next));
    }

    @Test
    void a_process_with_the_retired_key_raises_the_alarm() throws Exception {
        Sealer sealer = sealer();
        run("one", "key");
        sealer.seal();
        byte[] retired = Files.readAllBytes(secrets().resolve("signing.key"));
        request();
        sealer.seal();
        Files.write(secrets().resolve("signing.key"), retired);
        run("one", "other");
        Sealer stale = sealer();
        stale.seal();

        assertThat(stale.backlog().alarm()).contains("OTHER_KEYS");
        sealer.seal();
        everythingIsSealedOnce();
    }

    static Stream<CrashPoint> crashPoints() {
        return Stream.<CrashPoint[]>of(SealCrashPoint.values(), LogCrashPoint.values(), RotationCrashPoint.values())
                .flatMap(Arrays::stream);
    }

    @ParameterizedTest
    @MethodSource("crashPoints")
    void a_crash_at_any_point_leaves_a_log_with_one_key_in_force(CrashPoint point) throws Exception {
        VerifierKey root = sealer().rootKey();
        JobId job = run("one", "before");
        sealer().seal();
        CrashAt crash = CrashAt.first(point);
        Sealer dying = sealer(workbench.database(), crash);
        run("one", "in between");
        assertThatThrownBy(() -> {
                    SigningKeys.request(secrets(), LogNumber.FIRST, crash);
                    dying.seal();
                })
                .isInstanceOf(SimulatedCrash.class);
        run("one", "after");
        sealer().seal();
        sealer().seal();

        assertThat(secrets().resolve("next.key")).doesNotExist();
        VerifierKey now = NoteSigner.parse(Files.readString(secrets().resolve("signing.key")))
                .key();
        assertThat(now).isNotEqualTo(root);
        run("one", "later");
        sealer().seal();
        assertThat(checkpoint().isSignedBy(now)).isTrue();
        assertThat(isProven(receipt(job), Trust.of(root))).isTrue();
        logIsClean(root);
        everythingIsSealedOnce();
    }
}
