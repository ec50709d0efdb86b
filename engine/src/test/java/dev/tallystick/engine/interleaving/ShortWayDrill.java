package dev.tallystick.engine.interleaving;

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
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

/** What {@link LedgerDrill} is to the ledgers, for moves that are plain and take the short way past them. */
public final class ShortWayDrill {

    private static final Duration LEASE = Duration.ofMinutes(1);

    private final Ledgers ledgers;
    private final PostingStore postings = new PostingStore();
    private final CheckpointWriter checkpointWriter;
    private final GroupCommitter committer;
    private final List<String> wrong = new ArrayList<>();

    public ShortWayDrill(DataSource source) {
        this.ledgers = new Ledgers(source);
        this.checkpointWriter =
                new CheckpointWriter(ledgers.collation(), postings, new JobStore(), new SignalStore(), LEASE);
        this.committer = new GroupCommitter(ledgers.database(), GroupCommitter.Limits.DEFAULT);
    }

    public List<String> violations() {
        try (committer) {
            drill();
        }
        return wrong;
    }

    private void drill() {
        attempt("a life", this::life);
        attempt("a step that comes again", this::again);
        attempt("a step that comes again with the end", this::againWithTheEnd);
        attempt("an end that comes again", this::endAgain);
        attempt("a stale lease", this::staleLease);
        attempt("a job that was cancelled", this::cancelled);
    }

    private void attempt(String what, Runnable part) {
        try {
            part.run();
        } catch (AssertionError | RuntimeException e) {
            wrong.add(what + ": " + e);
        }
    }

    private void life() {
        Lease body = lease(ledgers.job());
        LegTwo one = step(body, "1");
        LegTwo two = step(body, "2");
        LegTwo end = end(body);

        move(body, List.of(one), one);
        move(body, List.of(two, end), two);

        demand(ledgers.state(body.job()).equals("0 completed"), ledgers.state(body.job()));
        demand(ledgers.isClosedBy(body.job(), end), "closed by another transition");
        for (LegTwo each : List.of(one, two)) {
            digits("001111000000001", ledgers.activityDigits(each.activity()));
            digits("000011000000001 #0", ledgers.guidDigits(each));
        }
        digits("001111100000001", ledgers.activityDigits(body.activity()));
        digits("000111100000001 #0", ledgers.guidDigits(end));
        demand(postingsOf(body) == 0, "ended, and still posted");
    }

    /** The reply was lost: what was entered and brought at once is brought once more. */
    private void again() {
        Lease body = lease(ledgers.job());
        LegTwo one = step(body, "1");

        move(body, List.of(one), one);
        move(body, List.of(one), one);

        digits("000011000000002 #0", ledgers.guidDigits(one));
        digits("001111000000002", ledgers.activityDigits(one.activity()));
        demand(ledgers.state(body.job()).equals("1 open"), ledgers.state(body.job()));
    }

    /** A result reported twice, the second time by a holder that runs to the end. */
    private void againWithTheEnd() {
        Lease body = lease(ledgers.job());
        LegTwo one = step(body, "1");

        move(body, List.of(one), one);
        move(body, List.of(one, end(body)), one);

        digits("000011000000002 #0", ledgers.guidDigits(one));
        demand(ledgers.state(body.job()).equals("0 completed"), ledgers.state(body.job()));
    }

    private void endAgain() {
        Lease body = lease(ledgers.job());
        LegTwo end = end(body);

        demand(move(body, List.of(end)).equals(new CheckpointResult.Done()), "the end was refused");
        demand(move(body, List.of(end)).equals(new CheckpointResult.Done()), "the end was forgotten");

        digits("000111100000001 #0", ledgers.guidDigits(end));
    }

    private void cancelled() {
        Lease body = lease(ledgers.job());
        ActivityId cancel = ActivityId.cancel(body.job());
        ledgers.enter(LegOne.inline(cancel, "cancel", 0));
        ledgers.collate(LegTwo.ending(cancel, 0, JobOutcome.CANCELLED, null, "it was cancelled"));

        CheckpointResult told = move(body, List.of(end(body)));

        demand(told.equals(new CheckpointResult.JobClosed()), "the end of a cancelled job was told " + told);
        demand(ledgers.state(body.job()).equals("0 cancelled"), ledgers.state(body.job()));
    }

    private void staleLease() {
        JobId job = ledgers.job();
        Lease stale = lease(job);
        ledgers.database()
                .transact(
                        "expire",
                        tx -> tx.update("update tally.posting set visible_at = now() where job_id = ?", job.value()));
        lease(job);
        LegTwo forged = step(stale, "1");

        CheckpointResult told = move(stale, List.of(forged), forged);

        demand(told.equals(new CheckpointResult.LeaseLost()), "a stale holder was told " + told);
    }

    private static LegTwo step(Lease body, String path) {
        ActivityId activity = new ActivityId(body.job(), path, "step");
        return LegTwo.whole(activity, body.fence(), 0, path.getBytes(StandardCharsets.UTF_8), null);
    }

    private static LegTwo end(Lease body) {
        return LegTwo.ending(body.activity(), body.fence(), JobOutcome.COMPLETED, null, null);
    }

    private CheckpointResult move(Lease body, List<LegTwo> results, LegTwo... entered) {
        List<LegOne> dispatches = new ArrayList<>();
        for (LegTwo each : entered) {
            dispatches.add(LegOne.attempt(each.activity(), "step", 1));
        }
        Checkpoint checkpoint = new Checkpoint(body, results, dispatches, List.of(), List.of());
        demand(checkpoint.isPlain(), "the move is not plain");
        return committer.submit(checkpointWriter, checkpoint).join();
    }

    private long postingsOf(Lease body) {
        return ledgers.database()
                .transact(
                        "postings",
                        tx -> tx.first(
                                "select count(*) as n from tally.posting where job_id = ?",
                                row -> row.getLong("n"),
                                body.job().value()))
                .orElseThrow();
    }

    private Lease lease(JobId job) {
        return ledgers
                .database()
                .transact(
                        "lease",
                        tx -> new DuePostingStore().leaseBodies(tx, Set.of("flow@1"), 1_000, LEASE, "a holder"))
                .stream()
                .map(LeasedJob::lease)
                .filter(lease -> lease.job().equals(job))
                .findFirst()
                .orElseThrow(() -> new AssertionError("not leased"));
    }

    private static void digits(String right, String found) {
        demand(found.equals(right), found + " instead of " + right);
    }

    private static void demand(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
