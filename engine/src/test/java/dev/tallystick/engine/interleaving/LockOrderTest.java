package dev.tallystick.engine.interleaving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.Signaller;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.graph.run.HookSignals;
import dev.tallystick.engine.graph.run.NodeStore;
import dev.tallystick.engine.graph.run.SlowGraphs;
import dev.tallystick.engine.graph.run.TransitionWriter;
import dev.tallystick.engine.model.Checkpoint;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LeasedJob;
import dev.tallystick.engine.model.Ledgers;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.engine.model.PartnerGateway;
import dev.tallystick.engine.model.SentSignal;
import dev.tallystick.engine.record.CheckpointWriter;
import dev.tallystick.engine.record.CollationStore;
import dev.tallystick.engine.record.DuePostingStore;
import dev.tallystick.engine.record.JobStore;
import dev.tallystick.engine.record.PostingStore;
import dev.tallystick.engine.record.SignalStore;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.Primitive;
import dev.tallystick.sql.Tx;
import dev.tallystick.testkit.Gate;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.JsonCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Batches of several processes that want the same jobs, in different order. */
class LockOrderTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private final Database database = Database.on(postgres.dataSource());
    private final Ledgers ledgers = new Ledgers(postgres.dataSource());
    private final PostingStore postings = new PostingStore();

    @Test
    void r16_batches_that_hold_what_the_other_one_wants_wait_for_nobody() throws Exception {
        JobId one = ledgers.job();
        JobId other = ledgers.job();
        List<Lease> leases = database
                .transact(
                        "lease",
                        tx -> new DuePostingStore()
                                .leaseBodies(tx, Set.of("flow@1"), 10, Duration.ofMinutes(1), "a holder"))
                .stream()
                .map(LeasedJob::lease)
                .toList();
        CyclicBarrier bothHoldOne = new CyclicBarrier(2);
        try (GroupCommitter left = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT);
                GroupCommitter right = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT)) {
            List<CompletableFuture<?>> answers = new ArrayList<>();
            answers.addAll(moveAndSignal(left, leaseOf(one, leases), other, bothHoldOne));
            answers.addAll(moveAndSignal(right, leaseOf(other, leases), one, bothHoldOne));
            for (CompletableFuture<?> answer : answers) {
                answer.get(30, TimeUnit.SECONDS);
            }

            assertThat(left.counts().splits() + right.counts().splits()).isZero();
        }
        assertThat(ledgers.state(one)).isEqualTo("0 completed");
        assertThat(ledgers.state(other)).isEqualTo("0 completed");
    }

    private static Lease leaseOf(JobId job, List<Lease> leases) {
        return leases.stream()
                .filter(each -> each.job().equals(job))
                .findFirst()
                .orElseThrow();
    }

    /** In one batch: what moves one job, then a wait until the other side has done so too, then a signal to the other job. */
    private List<CompletableFuture<?>> moveAndSignal(
            GroupCommitter committer, Lease lease, JobId to, CyclicBarrier barrier) {
        CollationStore collation = new CollationStore();
        SignalStore signals = new SignalStore();
        CheckpointWriter checkpointWriter =
                new CheckpointWriter(collation, postings, new JobStore(), signals, Duration.ofMinutes(1));
        NodeStore graphs = new NodeStore();
        TransitionWriter writer = new TransitionWriter(
                collation,
                postings,
                new JobStore(),
                signals,
                graphs,
                queue -> null,
                order -> {
                    throw new UnsupportedOperationException("there are no children here");
                },
                PartnerGateway.NONE,
                new JsonCodec(),
                Duration.ofMinutes(1),
                new SlowGraphs());
        Signaller signaller =
                new Signaller(collation, postings, signals, new HookSignals(graphs, postings, writer, queue -> false));
        Gate busy = new Gate("the batch before");
        List<CompletableFuture<?>> answers = new ArrayList<>();
        answers.add(committer.submit(new Stop("before", 0, busy::pass), "before"));
        busy.awaitArrival();
        LegTwo end = LegTwo.ending(lease.activity(), lease.fence(), JobOutcome.COMPLETED, null, null);
        answers.add(committer.submit(
                checkpointWriter, new Checkpoint(lease, List.of(end), List.of(), List.of(), List.of())));
        answers.add(committer.submit(new Stop("between", signaller.rank(), () -> meet(barrier)), "between"));
        answers.add(committer.submit(
                signaller,
                new SentSignal("default", new SentSignal.Id(to, "go", "k"), "1".getBytes(StandardCharsets.UTF_8))));
        busy.open();
        return answers;
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(10, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Writes nothing, and lets the test say when the batch continues. */
    private record Stop(String name, int rank, Runnable pause) implements Primitive<String, String> {

        @Override
        public Object orderKey(String item) {
            return item;
        }

        @Override
        public List<@Nullable String> apply(Tx tx, List<String> items) {
            pause.run();
            return new ArrayList<>(Collections.nCopies(items.size(), "passed"));
        }
    }
}
