package dev.tallystick.engine.seal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.log.audit.LogAudit;
import dev.tallystick.log.audit.MemberAudit;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.receipt.Receipt;
import dev.tallystick.log.receipt.Trust;
import dev.tallystick.log.receipt.Verdict;
import dev.tallystick.testkit.Auditor;
import dev.tallystick.testkit.CrashAt;
import dev.tallystick.testkit.SimulatedCrash;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.JobId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A log that is lost for good is followed by another one, which names it. */
class LogSuccessionTest extends SealingRig {

    private static final String REASON = "the signing key is lost";

    private LogSuccession succession(CrashPoints crashPoints) {
        return new LogSuccession(workbench.database(), files.resolve("seal"), crashPoints);
    }

    private LogSuccession.Succeeded succeed() throws IOException {
        return succession(CrashPoints.NONE).succeed(REASON, false);
    }

    private byte[] receipt(JobId job) {
        return ((JobProof.Proven) new Receipts(workbench.database()).prove("default", job.value(), ShownFields.ALL))
                .receipt();
    }

    private static boolean isProven(byte[] receipt, VerifierKey root) {
        return Receipt.verify(receipt, Trust.of(root)) instanceof Verdict.Proven<Receipt.Facts>;
    }

    /** The successor is whole, and names the old log. */
    private void successorIsClean(VerifierKey old, VerifierKey root, long oldSize) throws IOException {
        LogAudit.Report report = LogAudit.audit(files.resolve("log-2"), root, new MemberAudit());
        assertThat(report.findings()).isEmpty();
        LogEntry.Succession first = Objects.requireNonNull(report.succeeds());
        assertThat(first.log()).isEqualTo(old);
        assertThat(first.reason()).isEqualTo(REASON);
        assertThat(first.size()).isEqualTo(oldSize);
        assertThat(Objects.requireNonNull(first.checkpoint()).isSignedBy(old)).isTrue();
        Path key = Files.writeString(files.resolve("root-2.pub"), root + "\n");
        assertThat(Auditor.with(key).check("log", List.of(files.resolve("log-2"))))
                .startsWith("0 log test.example/log/2: ")
                .contains("succeeds log test.example/log of size " + oldSize + ": " + REASON);
    }

    @Test
    void the_successor_names_the_lost_log_and_seals_what_the_database_has() throws Exception {
        Sealer sealer = sealer();
        VerifierKey old = sealer.rootKey();
        JobId kept = run("one", "kept");
        JobId dropped = run("one", "dropped");
        JobId open = workbench.submit(engine, "waiting", "open");
        sealer.seal();
        byte[] before = receipt(kept);
        long oldSize = size();
        workbench.database().transact("drop a job, as retention does", tx -> {
            tx.update("delete from tally.guid where job_id = ?", dropped.value());
            tx.update("delete from tally.activity where job_id = ?", dropped.value());
            return tx.update("delete from tally.job where id = ?", dropped.value());
        });
        sealer.close();
        Files.delete(files.resolve("seal/signing.key"));
        Path log = files.resolve("log/checkpoint");
        byte[] checkpoint = Files.readAllBytes(log);

        LogSuccession.Succeeded done = succeed();
        Sealer next = sealer();
        next.seal();

        VerifierKey root = next.rootKey();
        assertThat(done).isEqualTo(new LogSuccession.Succeeded(new LogNumber(2), root, ORIGIN, oldSize));
        assertThat(root.name()).isEqualTo("test.example/log/2");
        successorIsClean(old, root, oldSize);
        assertThat(types()).startsWith("succession");
        assertThat(types()).containsOnlyOnce("succession");
        assertThat(isProven(before, old)).as("an old receipt").isTrue();
        assertThat(isProven(before, root)).isFalse();
        assertThat(isProven(receipt(kept), root)).isTrue();
        assertThat(isProven(receipt(dropped), old))
                .as("from the copy of the old log")
                .isTrue();
        assertThat(isProven(receipt(open), root)).isTrue();
        assertThat(Files.readAllBytes(log)).isEqualTo(checkpoint);
        assertThat(workbench.accept(engine, "one", "kept")).isEqualTo(new Accepted.Duplicate(kept));
        assertThat(workbench.accept(engine, "one", "dropped")).isEqualTo(new Accepted.Duplicate(dropped));
        assertThat(next.proveKey(ScopedKey.of("kept"))).isPresent();
        assertThat(alarm()).isEmpty();
        assertThat(workbench.count("seal_queue")).isZero();
    }

    @Test
    void the_successor_of_a_successor_names_it() throws Exception {
        sealer().seal();
        run("one", "key");
        sealer().seal();
        succeed();
        sealer().seal();
        long size = size();
        VerifierKey second = sealer().rootKey();
        LogSuccession.Succeeded third = succeed();
        sealer().seal();

        assertThat(third.rootKey().name()).isEqualTo("test.example/log/3");
        assertThat(third.oldSize()).isEqualTo(size);
        LogAudit.Report report = LogAudit.audit(files.resolve("log-3"), third.rootKey(), new MemberAudit());
        assertThat(report.findings()).isEmpty();
        assertThat(Objects.requireNonNull(report.succeeds()).log()).isEqualTo(second);
    }

    @ParameterizedTest
    @EnumSource(SuccessionCrashPoint.class)
    void a_crash_at_any_point_leaves_the_old_log_or_its_successor_and_a_repeat_makes_no_third(
            SuccessionCrashPoint point) throws Exception {
        Sealer sealer = sealer();
        VerifierKey old = sealer.rootKey();
        JobId job = run("one", "key");
        sealer.seal();
        long oldSize = size();
        sealer.close();

        assertThatThrownBy(() -> succession(CrashAt.first(point)).succeed(REASON, false))
                .isInstanceOf(SimulatedCrash.class);
        assertThat(succeed().number()).isEqualTo(new LogNumber(2));
        assertThat(succeed().number()).isEqualTo(new LogNumber(2));
        Sealer next = sealer();
        next.seal();

        successorIsClean(old, next.rootKey(), oldSize);
        assertThat(isProven(receipt(job), next.rootKey())).isTrue();
    }

    @ParameterizedTest
    @EnumSource(SealCrashPoint.class)
    void a_batch_that_was_under_way_is_sealed_into_the_successor(SealCrashPoint point) throws Exception {
        VerifierKey old = sealer().rootKey();
        run("one", "before");
        sealer().seal();
        JobId job = run("one", "under way");
        Sealer dying = sealer(workbench.database(), CrashAt.first(point));
        assertThatThrownBy(dying::seal).isInstanceOf(SimulatedCrash.class);
        long oldSize = size();

        succeed();
        Sealer next = sealer();
        next.seal();

        successorIsClean(old, next.rootKey(), oldSize);
        assertThat(isProven(receipt(job), next.rootKey())).isTrue();
        assertThat(workbench.count("seal_intent")).isZero();
    }

    @Test
    void a_server_that_seals_keeps_its_log() throws Exception {
        Sealer sealer = sealer(workbench.database(), settings().lease(Duration.ofMinutes(1)), CrashPoints.NONE);
        run("one", "key");
        sealer.seal();

        assertThatThrownBy(this::succeed).hasMessageContaining("a server seals into the log");
        assertThat(size()).isPositive();
    }

    @Test
    void a_process_that_was_stopped_meanwhile_writes_nothing_into_the_successor() throws Exception {
        Sealer stopped = sealer();
        run("one", "key");
        stopped.seal();
        Checkpoint before = Checkpoint.parse(SignedNote.parse(Files.readAllBytes(files.resolve("log/checkpoint")))
                .text());
        succeed();
        run("one", "later");
        stopped.seal();
        stopped.seal();

        assertThat(stopped.backlog().alarm()).contains("was given up");
        assertThat(Checkpoint.parse(SignedNote.parse(Files.readAllBytes(files.resolve("log/checkpoint")))
                        .text()))
                .isEqualTo(before);
        Sealer next = sealer();
        next.seal();
        assertThat(LogAudit.audit(files.resolve("log-2"), next.rootKey(), new MemberAudit())
                        .findings())
                .isEmpty();
        assertThat(workbench.count("seal_queue")).isZero();
    }

    @Test
    void a_reason_that_cannot_be_printed_is_refused() {
        sealer();

        assertThatThrownBy(() -> succession(CrashPoints.NONE).succeed("line\nbreak", false))
                .hasMessageContaining("printable");
        assertThat(number("select number as n from tally.seal_log")).isEqualTo(1);
    }
}
