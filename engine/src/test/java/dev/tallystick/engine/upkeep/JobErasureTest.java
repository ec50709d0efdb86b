package dev.tallystick.engine.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Json;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.seal.JobProof;
import dev.tallystick.engine.seal.Receipts;
import dev.tallystick.engine.seal.SealSettings;
import dev.tallystick.engine.seal.Sealer;
import dev.tallystick.engine.seal.ShownFields;
import dev.tallystick.log.audit.LogAudit;
import dev.tallystick.log.audit.MemberAudit;
import dev.tallystick.log.receipt.Receipt;
import dev.tallystick.log.receipt.Trust;
import dev.tallystick.log.receipt.Verdict;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.testkit.CommitFate;
import dev.tallystick.testkit.CommitPolicy;
import dev.tallystick.testkit.CrashAt;
import dev.tallystick.testkit.SimulatedCrash;
import dev.tallystick.testkit.TcpProxy;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.JobId;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An erased job is gone but for its ID, its place in the log and a hash of its key; its proofs stay valid. */
class JobErasureTest {

    private static final String MESH = "default";

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
        workbench.workflow("waiting", (ctx, input) -> ctx.await("go", String.class));
        engine = workbench.start();
        sealer = Sealer.open(
                workbench.database(),
                SealSettings.in(files).lease(Duration.ZERO),
                "test.example/log",
                CrashPoints.NONE);
    }

    @AfterEach
    void close() {
        sealer.close();
        workbench.close();
    }

    private JobErasure erasure(Database database, CrashPoints crashPoints) {
        return new JobErasure(database, new SecureRandom(), List.of(), Duration.ofMinutes(1), crashPoints);
    }

    private Erase erase(JobId job) {
        return erasure(workbench.database(), CrashPoints.NONE).erase(MESH, job, "admin");
    }

    private JobId sealedJob(String key) {
        JobId job = workbench.submit(engine, "one", key);
        workbench.await(engine, job);
        sealer.seal();
        return job;
    }

    private byte[] receipt(JobId job) {
        return ((JobProof.Proven) new Receipts(workbench.database()).prove(MESH, job.value(), ShownFields.ALL))
                .receipt();
    }

    private Receipt.Facts facts(byte[] receipt) {
        Verdict<Receipt.Facts> verdict = Receipt.verify(receipt, Trust.of(sealer.rootKey()));
        assertThat(verdict).isInstanceOf(Verdict.Proven.class);
        return ((Verdict.Proven<Receipt.Facts>) verdict).facts();
    }

    private long count(String query) {
        return workbench
                .database()
                .transact("count", tx -> tx.first(query, row -> row.getLong("n")))
                .orElseThrow();
    }

    /** What must hold once a job is erased, and nothing is left to do. */
    private void isErasedOnce(JobId job, String key) throws Exception {
        sealer.seal();
        assertThat(workbench.count("erasure")).isEqualTo(1);
        assertThat(count("select count(*) as n from tally.erasure where key is not null"))
                .isZero();
        assertThat(count("select count(*) as n from tally.key where key = '" + key + "'"))
                .isZero();
        assertThat(count("select count(*) as n from tally.sealed_job where salt is not null"))
                .isZero();
        for (String table : List.of("job", "activity", "guid")) {
            assertThat(workbench.count(table)).as(table).isZero();
        }
        assertThat(count("select count(*) as n from tally.seal_fact where type = 3 and position is not null"))
                .isEqualTo(1);
        assertThat(facts(receipt(job)).erased().orElseThrow()).containsEntry("job", Json.of(job.toString()));
        assertThat(LogAudit.audit(files.resolve("log"), sealer.rootKey(), new MemberAudit())
                        .findings())
                .isEmpty();
        Accepted again = workbench.accept(engine, "one", key);
        assertThat(again).isEqualTo(new Accepted.Duplicate(job));
        assertThat(workbench.count("job")).isZero();
    }

    @Test
    void the_receipt_of_an_erased_job_shows_its_erasure_and_older_receipts_stay_valid() throws Exception {
        JobId job = sealedJob("personal");
        byte[] before = receipt(job);

        assertThat(erase(job)).isInstanceOf(Erase.Erased.class);
        assertThat(new Receipts(workbench.database()).prove(MESH, job.value(), ShownFields.ALL))
                .isInstanceOf(JobProof.Pending.class);
        isErasedOnce(job, "personal");

        Receipt.Facts facts = facts(receipt(job));
        assertThat(facts.accepted()).isEmpty();
        assertThat(facts.closed().orElseThrow()).isEmpty();
        assertThat(facts(before).accepted()).containsEntry("key", Json.of("personal"));
    }

    @Test
    void a_repeat_gets_the_first_answer() throws Exception {
        JobId job = sealedJob("personal");
        Erase first = erase(job);

        assertThat(erasure(workbench.database(), CrashPoints.NONE).erase(MESH, job, "another"))
                .isEqualTo(first);
        isErasedOnce(job, "personal");
    }

    @Test
    void a_job_that_is_open_or_not_sealed_is_refused_and_keeps_everything() {
        JobId open = workbench.submit(engine, "waiting", "open");
        assertThat(erase(open)).isInstanceOf(Erase.StillOpen.class);
        JobId unsealed = workbench.submit(engine, "one", "unsealed");
        workbench.await(engine, unsealed);

        assertThat(erase(unsealed)).isInstanceOf(Erase.NotSealed.class);
        assertThat(workbench.count("job")).isEqualTo(2);
        assertThat(workbench.count("erasure")).isZero();

        sealer.seal();
        assertThat(erase(unsealed)).isInstanceOf(Erase.Erased.class);
    }

    @Test
    void a_job_of_another_mesh_does_not_exist() {
        JobId job = sealedJob("personal");

        assertThat(erasure(workbench.database(), CrashPoints.NONE).erase("other", job, "admin"))
                .isEqualTo(new Erase.NoSuchJob());
        assertThat(erase(new JobId(UUID.randomUUID()))).isEqualTo(new Erase.NoSuchJob());
        assertThat(workbench.count("job")).isEqualTo(1);
    }

    @Test
    void a_job_that_retention_has_dropped_is_erased_too() throws Exception {
        JobId job = sealedJob("personal");
        workbench
                .database()
                .transact(
                        "drop",
                        tx -> tx.update("delete from tally.job; delete from tally.activity; delete from tally.guid"));

        assertThat(erase(job)).isInstanceOf(Erase.Erased.class);
        isErasedOnce(job, "personal");
    }

    @ParameterizedTest
    @EnumSource(ErasureCrashPoint.class)
    void a_crash_at_any_point_leaves_a_job_that_a_repeat_erases(ErasureCrashPoint point) throws Exception {
        JobId job = sealedJob("personal");
        JobErasure dying = erasure(workbench.database(), CrashAt.first(point));
        assertThatThrownBy(() -> dying.erase(MESH, job, "admin")).isInstanceOf(SimulatedCrash.class);

        assertThat(erase(job)).isInstanceOf(Erase.Erased.class);
        isErasedOnce(job, "personal");
    }

    @ParameterizedTest
    @EnumSource(
            value = CommitFate.class,
            names = {"LOSE_REPLY", "CUT_BEFORE"})
    void a_lost_reply_of_the_commit_is_an_unknown_outcome_that_a_repeat_resolves(CommitFate fate) throws Exception {
        JobId job = sealedJob("personal");
        try (TcpProxy proxy = postgres.proxy()) {
            JobErasure far = erasure(Database.on(postgres.proxied(proxy)), CrashPoints.NONE);
            proxy.onCommit(CommitPolicy.nextMentioning("into tally.erasure", fate));
            assertThatThrownBy(() -> far.erase(MESH, job, "admin")).isInstanceOf(TransactionException.class);
            assertThat(proxy.commits(fate)).isEqualTo(1);

            assertThat(far.erase(MESH, job, "admin")).isInstanceOf(Erase.Erased.class);
        }
        isErasedOnce(job, "personal");
    }
}
