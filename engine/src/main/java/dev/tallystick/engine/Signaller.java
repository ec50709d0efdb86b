package dev.tallystick.engine;

import dev.tallystick.engine.graph.run.HookSignals;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Failures;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.engine.model.SentSignal;
import dev.tallystick.engine.record.CollationStore;
import dev.tallystick.engine.record.Continuations;
import dev.tallystick.engine.record.JobStore;
import dev.tallystick.engine.record.PostingStore;
import dev.tallystick.engine.record.SignalStore;
import dev.tallystick.engine.upkeep.TimerService;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.Primitive;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.Signalled;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Delivers signals to jobs of the sender's mesh. A repeated key gets its first answer, even if the job has closed since. Locks
 * the job, then the body's posting, then answers the oldest wait, if there is one.
 */
public final class Signaller implements Primitive<SentSignal, Signalled> {

    private final CollationStore collation;
    private final PostingStore postings;
    private final SignalStore signals;
    private final HookSignals graphs;
    private final Continuations continuations;

    public Signaller(CollationStore collation, PostingStore postings, SignalStore signals, HookSignals graphs) {
        this.collation = collation;
        this.postings = postings;
        this.signals = signals;
        this.graphs = graphs;
        this.continuations = new Continuations(postings, new JobStore());
    }

    /** Sends a signal. If the graph's next step cannot be written, only the graph is affected: the signal is kept. */
    CompletableFuture<Signalled> send(GroupCommitter committer, SentSignal signal) {
        return committer
                .submit(this, signal)
                .exceptionallyCompose(failure -> Failures.refusal(failure)
                        .map(refused -> committer.submit(this, signal.toBeKeptOnly()))
                        .orElseGet(() -> CompletableFuture.failedFuture(failure)));
    }

    @Override
    public String name() {
        return "signal";
    }

    @Override
    public int rank() {
        return 2;
    }

    @Override
    public Object orderKey(SentSignal signal) {
        return signal.id().job();
    }

    @Override
    public long bytes(SentSignal signal) {
        return signal.payload().length;
    }

    /** A signal to a continued job goes to its successor, which may itself continue while this waits for its lock. */
    @Override
    public List<@Nullable Signalled> apply(Tx tx, List<SentSignal> sent) throws SQLException {
        List<JobId> jobs = sent.stream()
                .map(signal -> signal.id().job())
                .distinct()
                .sorted()
                .toList();
        Map<JobId, String> known = collation.known(tx, sent);
        List<JobId> theirs = jobs.stream().filter(known::containsKey).toList();
        Set<JobId> locked = collation.lock(tx, theirs, tx.mayWait());
        Set<JobId> open = collation.open(tx, theirs);
        Set<SentSignal.Id> seen =
                signals.seen(tx, sent.stream().map(SentSignal::id).toList());
        Map<JobId, JobId> became = continuations.successors(
                tx, jobs.stream().filter(job -> !open.contains(job)).toList());
        List<@Nullable Signalled> answers = new ArrayList<>(sent.size());
        List<SentSignal> fresh = new ArrayList<>();
        for (SentSignal signal : sent) {
            JobId job = signal.id().job();
            JobId newest = became.get(job);
            if (newest != null) {
                answers.add(apply(tx, List.of(signal.to(newest))).getFirst());
            } else if (!signal.mesh().equals(known.get(job))) {
                answers.add(new Signalled.NoSuchJob());
            } else if (!locked.contains(job)) {
                // When this transaction waits for locks, a job that cannot be locked has been dropped.
                answers.add(tx.mayWait() ? new Signalled.NoSuchJob() : null);
            } else if (seen.contains(signal.id())) {
                answers.add(new Signalled.Kept(true));
            } else if (!open.contains(job)) {
                answers.add(new Signalled.JobClosed());
            } else {
                fresh.add(signal);
                answers.add(new Signalled.Kept(false));
            }
        }
        if (!fresh.isEmpty()) {
            deliver(tx, fresh);
        }
        return answers;
    }

    private void deliver(Tx tx, List<SentSignal> fresh) throws SQLException {
        List<Lease> bodies = fresh.stream()
                .map(signal -> TimerService.bodyOf(signal.id().job()))
                .distinct()
                .toList();
        postings.hold(tx, bodies);
        Set<SentSignal.Id> kept = new HashSet<>(signals.send(tx, fresh));
        Set<JobId> keptOnly = fresh.stream()
                .filter(SentSignal::keptOnly)
                .map(signal -> signal.id().job())
                .collect(Collectors.toSet());
        graphs.deliver(tx, kept, keptOnly);
        List<ActivityId> waits = signals.openWaits(tx, kept);
        if (waits.isEmpty()) {
            return;
        }
        List<LegTwo> told = signals.take(tx, waits);
        if (!told.isEmpty()) {
            collation.collate(tx, told);
            postings.wake(
                    tx,
                    told.stream()
                            .map(leg -> TimerService.bodyOf(leg.activity().job()))
                            .distinct()
                            .toList());
        }
    }
}
