package dev.tallystick.engine.interleaving;

import static dev.tallystick.engine.model.Ledgers.leg;

import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Checkpoint;
import dev.tallystick.engine.model.CheckpointResult;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LeasedJob;
import dev.tallystick.engine.model.Ledgers;
import dev.tallystick.engine.model.LegOne;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.engine.record.CheckpointWriter;
import dev.tallystick.engine.record.DuePostingStore;
import dev.tallystick.engine.record.JobStore;
import dev.tallystick.engine.record.PostingStore;
import dev.tallystick.engine.record.SignalStore;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

/** What a store has to survive, done to it one by one, without luck: each mistake that the engine must not have shows here. */
public final class LedgerDrill {

    private static final int ALL = 100;

    private final Ledgers ledgers;
    private final List<String> wrong = new ArrayList<>();

    public LedgerDrill(DataSource source) {
        this.ledgers = new Ledgers(source);
    }

    public List<String> violations() {
        for (int commits = 1; commits <= 4; commits++) {
            int killedAfter = commits;
            attempt("killed after " + commits + " commits", () -> killAndResume(killedAfter));
        }
        attempt("two transitions of one job in one batch", this::twoInOneBatch);
        attempt("a replay", this::replay);
        attempt("a stale lease", this::staleLease);
        return wrong;
    }

    private void attempt(String what, Runnable part) {
        try {
            part.run();
        } catch (AssertionError | RuntimeException e) {
            wrong.add(what + ": " + e);
        }
    }

    /** A transition of a cycle and one that closes the job, killed at a boundary, with a neighbour in between. */
    private void killAndResume(int commits) {
        ActivityId parent = ledgers.activity(ledgers.job(), "1", "$child:drill-" + commits);
        JobId job = ledgers.childOf(parent);
        ActivityId cycle = ledgers.activity(job, "1", "cycle");
        LegTwo first = leg(cycle, 0, 0);
        LegTwo closing = leg(ActivityId.main(job), 0, -1);
        List<Integer> dimensions = new ArrayList<>();

        ledgers.process(first, commits, dimension -> noting(dimensions, dimension));
        ledgers.process(leg(cycle, 1, 0), ALL);
        ledgers.process(first, ALL, dimension -> noting(dimensions, dimension));
        ledgers.process(closing, commits);
        ledgers.process(closing, ALL);

        demand(dimensions.equals(List.of(0)), "children in dimensions " + dimensions);
        demand(ledgers.guid(closing).nextStep().isEmpty(), "a step is missing: " + ledgers.guid(closing));
        demand(
                ledgers.postings(parent.name()) == 1,
                "the parent was told " + ledgers.postings(parent.name()) + " times");
    }

    private static List<LegOne> noting(List<Integer> dimensions, int dimension) {
        dimensions.add(dimension);
        return List.of();
    }

    private void twoInOneBatch() {
        JobId job = ledgers.job(3, 0);
        ActivityId left = ledgers.activity(job, "1.1", "$branch");
        ActivityId right = ledgers.activity(job, "1.2", "$branch");
        ledgers.collate(leg(left, 0, -1), leg(right, 0, -1));
        demand(ledgers.state(job).equals("1 open"), ledgers.state(job));
    }

    private void replay() {
        JobId job = ledgers.job(3, 0);
        ActivityId worker = new ActivityId(job, "1", "worker");
        ledgers.enter(new LegOne(worker, "worker", 0, Duration.ZERO, "workers"));
        LegTwo result = leg(worker, 0, -1);
        ledgers.collate(result);
        demand(ledgers.postings("worker") == 0, "recorded, and still posted");
        ledgers.collate(result);
        demand(ledgers.state(job).equals("2 open"), ledgers.state(job));
        demand(ledgers.guidDigits(result).equals("000011000000002 #0"), ledgers.guidDigits(result));
    }

    private void staleLease() {
        JobId job = ledgers.job();
        PostingStore postings = new PostingStore();
        CheckpointWriter checkpointWriter = new CheckpointWriter(
                ledgers.collation(), postings, new JobStore(), new SignalStore(), Duration.ofSeconds(1));
        Lease stale = lease(job);
        lease(job);
        LegTwo forged = LegTwo.ending(stale.activity(), stale.fence(), JobOutcome.COMPLETED, null, null);
        Checkpoint checkpoint = new Checkpoint(stale, List.of(forged), List.of(), List.of(), List.of());

        List<CheckpointResult> told = ledgers.database()
                .transact("forge", tx -> new ArrayList<>(checkpointWriter.apply(tx, List.of(checkpoint))));

        demand(told.equals(List.of(new CheckpointResult.LeaseLost())), "a stale holder was told " + told);
    }

    private Lease lease(JobId job) {
        return ledgers
                .database()
                .transact(
                        "lease",
                        tx -> new DuePostingStore().leaseBodies(tx, Set.of("flow@1"), ALL, Duration.ZERO, "a holder"))
                .stream()
                .map(LeasedJob::lease)
                .filter(lease -> lease.job().equals(job))
                .findFirst()
                .orElseThrow(() -> new AssertionError("not leased"));
    }

    private static void demand(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
