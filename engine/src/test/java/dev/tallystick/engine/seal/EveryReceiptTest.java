package dev.tallystick.engine.seal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.upkeep.Erase;
import dev.tallystick.engine.upkeep.JobErasure;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.testkit.Auditor;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.JobId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A stranger's program verifies the receipt of every job of a run, whatever became of the job, and the proof of every key. */
class EveryReceiptTest {

    /** One round makes this many jobs with a key, and eight in all with what comes from them. */
    private static final List<String> WORKFLOWS = List.of("one", "family", "again", "failing", "waiting");

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    @TempDir
    Path files;

    private Workbench workbench;
    private Engine engine;
    private Sealer sealer;
    private Auditor auditor;

    @BeforeEach
    void open() throws IOException {
        workbench = new Workbench(postgres.dataSource());
        workbench.workflow("one", (ctx, input) -> ctx.step("one", String.class, () -> "done"));
        workbench.workflow("family", (ctx, input) -> ctx.child("one", input, String.class));
        workbench.workflow("again", (ctx, input) -> input.equals("last") ? "done" : ctx.continueAsNew("last"));
        workbench.workflow("failing", (ctx, input) -> {
            throw new IllegalArgumentException("refused: " + input);
        });
        workbench.workflow("waiting", (ctx, input) -> ctx.await("go", String.class));
        engine = workbench.start();
        sealer = Sealer.open(workbench.database(), SealSettings.in(files), "test.example/log", CrashPoints.NONE);
        auditor = Auditor.with(Files.writeString(files.resolve("root.pub"), sealer.rootKey() + "\n"));
    }

    @AfterEach
    void close() {
        sealer.close();
        workbench.close();
    }

    @Test
    void a_stranger_verifies_every_receipt_of_a_mixed_run() throws IOException {
        run(40);
    }

    @Test
    @Tag("campaign")
    void a_stranger_verifies_every_receipt_of_ten_thousand_jobs() throws IOException {
        run(1_250);
    }

    private void run(int rounds) throws IOException {
        Map<String, JobId> keyed = new LinkedHashMap<>();
        List<JobId> ended = new ArrayList<>();
        List<UUID> erased = new ArrayList<>();
        for (int round = 0; round < rounds; round += 25) {
            Map<String, JobId> some = submit(round, Math.min(rounds, round + 25));
            keyed.putAll(some);
            ended.addAll(endAll(some));
            // What is sealed now is proven under a later checkpoint.
            sealer.seal();
            erased.addAll(erase(some));
        }
        ended.forEach(job -> workbench.await(engine, job));
        sealer.seal();

        List<UUID> all = workbench
                .database()
                .transact(
                        "read jobs",
                        tx -> tx.query("select id from tally.job", row -> row.getObject("id", UUID.class)));
        assertThat(erased).hasSize(rounds);
        assertThat(all).doesNotContainAnyElementsOf(erased);
        all.addAll(erased);
        assertThat(all).hasSize(8 * rounds);
        List<String> receipts = verified("receipt", receipts(all));
        assertThat(receipts)
                .hasSize(all.size())
                .allMatch(line -> line.contains(": accepted (entry ") && line.contains(", closed (entry "));
        assertThat(receipts)
                .filteredOn(line -> line.contains(", erased (entry "))
                .hasSize(erased.size());
        List<String> keys = verified("key", proofs(keyed));
        assertThat(keys).filteredOn(line -> line.startsWith("key ")).hasSize(keyed.size());
        assertThat(keys).filteredOn(line -> line.startsWith("  ")).hasSize(3 * rounds);
        assertThat(auditor.check("log", List.of(files.resolve("log")))).startsWith("0 log test.example/log");
    }

    /** Submits each key twice at once. */
    private Map<String, JobId> submit(int first, int end) {
        Map<String, List<CompletableFuture<Accepted>>> answers = new LinkedHashMap<>();
        for (int round = first; round < end; round++) {
            for (String workflow : WORKFLOWS) {
                String key = workflow + ":" + round;
                answers.put(
                        key,
                        List.of(
                                engine.submit(workbench.submission(workflow, key, "input")),
                                engine.submit(workbench.submission(workflow, key, "input"))));
            }
        }
        Map<String, JobId> jobs = new LinkedHashMap<>();
        answers.forEach((key, both) -> {
            Map<Boolean, JobId> byNovelty = new HashMap<>();
            both.forEach(each -> {
                switch (each.join()) {
                    case Accepted.Fresh fresh -> byNovelty.put(true, fresh.job());
                    case Accepted.Duplicate duplicate -> byNovelty.put(false, duplicate.job());
                    case Accepted.Reused reused -> throw new AssertionError(reused);
                }
            });
            assertThat(byNovelty.get(false)).isEqualTo(byNovelty.get(true));
            jobs.put(key, byNovelty.get(true));
        });
        return jobs;
    }

    /** Cancels those that wait, awaits the others, and runs those that failed again. */
    private List<JobId> endAll(Map<String, JobId> jobs) {
        List<JobId> open = new ArrayList<>();
        jobs.forEach((key, job) -> {
            if (key.startsWith("waiting")) {
                engine.cancel("default", job);
            }
            workbench.await(engine, job);
            if (key.startsWith("failing")) {
                open.add(engine.reruns().rerun("default", job));
            }
        });
        return open;
    }

    /** Erases the jobs of one workflow: they are sealed. */
    private List<UUID> erase(Map<String, JobId> jobs) {
        List<UUID> gone = new ArrayList<>();
        try (JobErasure erasure = new JobErasure(
                workbench.database(), new SecureRandom(), List.of(), Duration.ofMinutes(1), CrashPoints.NONE)) {
            jobs.forEach((key, job) -> {
                if (key.startsWith("one:")) {
                    assertThat(erasure.erase("default", job, "admin")).isInstanceOf(Erase.Erased.class);
                    gone.add(job.value());
                }
            });
        }
        return gone;
    }

    private List<Path> receipts(List<UUID> jobs) throws IOException {
        Receipts receipts = new Receipts(workbench.database());
        List<Path> written = new ArrayList<>();
        for (UUID job : jobs) {
            JobProof.Proven proven = (JobProof.Proven) receipts.prove("default", job, ShownFields.ALL);
            written.add(Files.write(files.resolve(job + ".json"), proven.receipt()));
        }
        return written;
    }

    private List<Path> proofs(Map<String, JobId> keyed) throws IOException {
        List<Path> written = new ArrayList<>();
        for (Map.Entry<String, JobId> each : keyed.entrySet()) {
            byte[] proof = sealer.proveKey(ScopedKey.of(each.getKey())).orElseThrow();
            written.add(Files.write(files.resolve("key-" + each.getValue() + ".json"), proof));
        }
        return written;
    }

    /** The lines that the stranger prints. */
    private List<String> verified(String kind, List<Path> documents) {
        List<String> lines = new ArrayList<>();
        // A command line has room for so many names.
        int most = 1_000;
        for (int at = 0; at < documents.size(); at += most) {
            String printed = auditor.check(kind, documents.subList(at, Math.min(documents.size(), at + most)));
            assertThat(printed).startsWith("0 ");
            lines.addAll(printed.substring(2).lines().toList());
        }
        return lines;
    }
}
