package dev.tallystick.engine.record;

import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Checkpoint;
import dev.tallystick.engine.model.CheckpointResult;
import dev.tallystick.engine.model.Collated;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LegOne;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.engine.model.NewJob;
import dev.tallystick.engine.record.CollationStore.Recorded;
import dev.tallystick.engine.record.PostingStore.Held;
import dev.tallystick.sql.Primitive;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.SQLException;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Applies {@link Checkpoint}s. It first locks their jobs and leases and lets the fences decide; then it writes the ledgers: in one
 * statement for plain checkpoints, step by step for the others. A plain one that turns out not to be plain, because its lease is
 * lost, its job has closed or an earlier reply was lost, changes nothing and is repeated alone.
 *
 * <p>A checkpoint that ends tasks waits for them before it locks its job, so it always runs alone.
 *
 * <p>Identity before state: a checkpoint that is repeated after a lost reply gets its first answer, even if the lease is gone by now.
 */
public final class CheckpointWriter implements Primitive<Checkpoint, CheckpointResult> {

    private final FastCheckpointStore plainMoves = new FastCheckpointStore();
    private final CollationStore collation;
    private final PostingStore postings;
    private final JobStore jobs;
    private final SignalStore signals;
    private final ContinuationStore chains = new ContinuationStore();
    private final DeadLetterStore letters = new DeadLetterStore();
    private final UndoStore undos = new UndoStore();
    private final LostBranches lostBranches;
    private final FaultStore faults = new FaultStore();
    private final Duration lease;

    public CheckpointWriter(
            CollationStore collation, PostingStore postings, JobStore jobs, SignalStore signals, Duration lease) {
        this.collation = collation;
        this.postings = postings;
        this.jobs = jobs;
        this.signals = signals;
        this.lostBranches = new LostBranches(collation, postings, signals);
        this.lease = lease;
    }

    @Override
    public String name() {
        return "move";
    }

    @Override
    public int rank() {
        return 1;
    }

    @Override
    public Object orderKey(Checkpoint checkpoint) {
        return checkpoint.job();
    }

    @Override
    public long bytes(Checkpoint checkpoint) {
        return checkpoint.bytes();
    }

    @Override
    public List<@Nullable CheckpointResult> apply(Tx tx, List<Checkpoint> checkpoints) throws SQLException {
        Map<JobId, CheckpointResult> answers = HashMap.newHashMap(checkpoints.size());
        List<Checkpoint> plain = new ArrayList<>(checkpoints.size());
        List<Checkpoint> others = new ArrayList<>();
        boolean careful = tx.mayWait() || tx.isRepeat();
        for (Checkpoint checkpoint : checkpoints) {
            if (!checkpoint.endsTasks() || tx.mayWait()) {
                (checkpoint.isPlain() && !careful ? plain : others).add(checkpoint);
            }
        }
        if (!others.isEmpty()) {
            moveCarefully(tx, others, answers);
        }
        if (!plain.isEmpty()) {
            plainMoves.enqueue(tx, plain, job -> answers.put(job, new CheckpointResult.Done()));
        }
        return new AbstractList<>() {
            @Override
            public @Nullable CheckpointResult get(int index) {
                return answers.get(checkpoints.get(index).job());
            }

            @Override
            public int size() {
                return checkpoints.size();
            }
        };
    }

    private void moveCarefully(Tx tx, List<Checkpoint> checkpoints, Map<JobId, CheckpointResult> answers)
            throws SQLException {
        boolean alone = tx.mayWait();
        lostBranches.lockTasks(tx, checkpoints);
        Map<JobId, Held> held = postings.holdWithJobs(tx, checkpoints, alone);
        List<Checkpoint> standing = new ArrayList<>(checkpoints.size());
        List<Checkpoint> fallen = new ArrayList<>();
        for (Checkpoint checkpoint : checkpoints) {
            Held now = held.get(checkpoint.job());
            if (now == null ? alone : now.fence() != checkpoint.lease().fence()) {
                fallen.add(checkpoint);
            } else if (now == null) {
                // Another process has locked it, or it is gone; it will find out when it runs alone.
            } else if (now.jobClosed()) {
                standing.add(checkpoint.afterClosing());
                answers.put(checkpoint.job(), new CheckpointResult.JobClosed());
            } else {
                standing.add(checkpoint);
            }
        }
        if (!standing.isEmpty()) {
            write(tx, standing, answers);
        }
        if (!fallen.isEmpty()) {
            answerFallen(tx, fallen, answers);
        }
    }

    private void answerFallen(Tx tx, List<Checkpoint> fallen, Map<JobId, CheckpointResult> answers)
            throws SQLException {
        List<Lease> said = new ArrayList<>();
        for (Checkpoint checkpoint : fallen) {
            said.add(checkpoint.lease());
            checkpoint
                    .results()
                    .forEach(result -> said.add(new Lease(result.activity(), result.guid(), result.fence())));
        }
        Map<Guid, Recorded> recorded = collation.recorded(tx, said);
        fallen.forEach(checkpoint -> answers.put(checkpoint.job(), saidBefore(checkpoint, recorded)));
    }

    /** The first answer to this checkpoint, if there was one. A body that finished after its job had ended is recorded as late. */
    private static CheckpointResult saidBefore(Checkpoint checkpoint, Map<Guid, Recorded> recorded) {
        Recorded body = recorded.get(checkpoint.lease().guid());
        if (body != null && body.late()) {
            return new CheckpointResult.JobClosed();
        }
        boolean isRecorded = !checkpoint.results().isEmpty()
                && checkpoint.results().stream().map(LegTwo::guid).allMatch(recorded::containsKey);
        return isRecorded ? new CheckpointResult.Done() : new CheckpointResult.LeaseLost();
    }

    private void write(Tx tx, List<Checkpoint> checkpoints, Map<JobId, CheckpointResult> answers) throws SQLException {
        List<LegOne> dispatches = all(checkpoints, Checkpoint::dispatches);
        if (!dispatches.isEmpty()) {
            collation.enter(tx, dispatches);
        }
        lostBranches.end(tx, checkpoints);
        List<NewJob> children = all(checkpoints, Checkpoint::children);
        if (!children.isEmpty()) {
            jobs.start(tx, children, lease);
            carryOn(tx, children);
        }
        List<LegTwo> results = new ArrayList<>(all(checkpoints, Checkpoint::results));
        List<ActivityId> waits = dispatches.stream()
                .filter(LegOne::awaitsSignal)
                .map(LegOne::activity)
                .toList();
        if (!waits.isEmpty()) {
            results.addAll(signals.take(tx, waits));
        }
        Map<Guid, Collated> collated = results.isEmpty() ? Map.of() : collation.collate(tx, results);
        faults.note(tx, dispatches, results);
        List<Checkpoint> parking =
                checkpoints.stream().filter(Checkpoint::parks).toList();
        Set<JobId> due = parking.isEmpty() ? Set.of() : postings.park(tx, parking);
        finish(tx, checkpoints.stream().filter(Checkpoint::leavesMore).toList());
        for (Checkpoint checkpoint : checkpoints) {
            boolean refused = checkpoint.results().stream().anyMatch(result -> !collated.containsKey(result.guid()));
            CheckpointResult done =
                    due.contains(checkpoint.job()) ? new CheckpointResult.DueAgain() : new CheckpointResult.Done();
            answers.putIfAbsent(checkpoint.job(), refused ? new CheckpointResult.Refused() : done);
        }
    }

    /** Does the work that some checkpoints need beyond the ledgers. */
    private void finish(Tx tx, List<Checkpoint> checkpoints) throws SQLException {
        List<JobId> undone = jobsOf(checkpoints, Checkpoint::undoes);
        if (!undone.isEmpty()) {
            undos.reduceToUndo(tx, undone);
        }
        List<JobId> leaving = jobsOf(checkpoints, Checkpoint::leavesWaits);
        if (!leaving.isEmpty()) {
            postings.dropWaiting(tx, leaving);
            cancelChildren(tx, leaving);
        }
        List<JobId> failed = jobsOf(checkpoints, Checkpoint::fails);
        if (!failed.isEmpty()) {
            letters.bury(tx, failed);
        }
    }

    /** Their parent has closed. */
    private void cancelChildren(Tx tx, List<JobId> closed) throws SQLException {
        List<JobId> open = jobs.openChildren(tx, closed);
        if (!open.isEmpty()) {
            postings.postCancel(tx, open);
        }
    }

    private static List<JobId> jobsOf(List<Checkpoint> checkpoints, Predicate<Checkpoint> which) {
        return checkpoints.stream().filter(which).map(Checkpoint::job).toList();
    }

    private void carryOn(Tx tx, List<NewJob> started) throws SQLException {
        List<NewJob> successors =
                started.stream().filter(job -> job.continuedFrom() != null).toList();
        if (!successors.isEmpty()) {
            chains.carryOn(tx, successors);
        }
    }

    private static <T> List<T> all(List<Checkpoint> checkpoints, Function<Checkpoint, List<T>> part) {
        return checkpoints.stream()
                .flatMap(checkpoint -> part.apply(checkpoint).stream())
                .toList();
    }
}
