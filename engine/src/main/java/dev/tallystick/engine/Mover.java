package dev.tallystick.engine;

import dev.tallystick.engine.CollationStore.Recorded;
import dev.tallystick.engine.PostingStore.Held;
import dev.tallystick.sql.Primitive;
import dev.tallystick.sql.Tx;
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
 * Applies {@link Move}s. It first locks their jobs and leases and lets the fences decide; then it writes the ledgers: in one
 * statement for plain moves, step by step for the others. A plain move that turns out not to be plain, because its lease is
 * lost, its job has closed or an earlier reply was lost, changes nothing and is repeated alone.
 *
 * <p>A move that ends tasks waits for them before it locks its job, so it always runs alone.
 *
 * <p>Identity before state: a move that is repeated after a lost reply gets its first answer, even if the lease is gone by now.
 */
final class Mover implements Primitive<Move, Moved> {

    private final PlainMoveStore plainMoves = new PlainMoveStore();
    private final CollationStore collation;
    private final PostingStore postings;
    private final JobStore jobs;
    private final SignalStore signals;
    private final ChainStore chains = new ChainStore();
    private final DeadLetterStore letters = new DeadLetterStore();
    private final UndoStore undos = new UndoStore();
    private final LostBranches lostBranches;
    private final FaultStore faults = new FaultStore();
    private final Duration lease;

    Mover(CollationStore collation, PostingStore postings, JobStore jobs, SignalStore signals, Duration lease) {
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
    public Object orderKey(Move move) {
        return move.job();
    }

    @Override
    public long bytes(Move move) {
        return move.bytes();
    }

    @Override
    public List<@Nullable Moved> apply(Tx tx, List<Move> moves) throws SQLException {
        Map<JobId, Moved> answers = HashMap.newHashMap(moves.size());
        List<Move> plain = new ArrayList<>(moves.size());
        List<Move> others = new ArrayList<>();
        boolean careful = tx.mayWait() || tx.isRepeat();
        for (Move move : moves) {
            if (!move.endsTasks() || tx.mayWait()) {
                (move.isPlain() && !careful ? plain : others).add(move);
            }
        }
        if (!others.isEmpty()) {
            moveCarefully(tx, others, answers);
        }
        if (!plain.isEmpty()) {
            plainMoves.moveLater(tx, plain, job -> answers.put(job, new Moved.Done()));
        }
        return new AbstractList<>() {
            @Override
            public @Nullable Moved get(int index) {
                return answers.get(moves.get(index).job());
            }

            @Override
            public int size() {
                return moves.size();
            }
        };
    }

    private void moveCarefully(Tx tx, List<Move> moves, Map<JobId, Moved> answers) throws SQLException {
        boolean alone = tx.mayWait();
        lostBranches.lockTasks(tx, moves);
        Map<JobId, Held> held = postings.holdWithJobs(tx, moves, alone);
        List<Move> standing = new ArrayList<>(moves.size());
        List<Move> fallen = new ArrayList<>();
        for (Move move : moves) {
            Held now = held.get(move.job());
            if (now == null ? alone : now.fence() != move.lease().fence()) {
                fallen.add(move);
            } else if (now == null) {
                // Another process has locked it, or it is gone; it will find out when it runs alone.
            } else if (now.jobClosed()) {
                standing.add(move.afterClosing());
                answers.put(move.job(), new Moved.JobClosed());
            } else {
                standing.add(move);
            }
        }
        if (!standing.isEmpty()) {
            write(tx, standing, answers);
        }
        if (!fallen.isEmpty()) {
            answerFallen(tx, fallen, answers);
        }
    }

    private void answerFallen(Tx tx, List<Move> fallen, Map<JobId, Moved> answers) throws SQLException {
        List<Lease> said = new ArrayList<>();
        for (Move move : fallen) {
            said.add(move.lease());
            move.results().forEach(result -> said.add(new Lease(result.activity(), result.guid(), result.fence())));
        }
        Map<Guid, Recorded> recorded = collation.recorded(tx, said);
        fallen.forEach(move -> answers.put(move.job(), saidBefore(move, recorded)));
    }

    /** The first answer to this move, if there was one. A body that finished after its job had ended is recorded as late. */
    private static Moved saidBefore(Move move, Map<Guid, Recorded> recorded) {
        Recorded body = recorded.get(move.lease().guid());
        if (body != null && body.late()) {
            return new Moved.JobClosed();
        }
        boolean isRecorded = !move.results().isEmpty()
                && move.results().stream().map(LegTwo::guid).allMatch(recorded::containsKey);
        return isRecorded ? new Moved.Done() : new Moved.LeaseLost();
    }

    private void write(Tx tx, List<Move> moves, Map<JobId, Moved> answers) throws SQLException {
        List<LegOne> dispatches = all(moves, Move::dispatches);
        if (!dispatches.isEmpty()) {
            collation.enter(tx, dispatches);
        }
        lostBranches.end(tx, moves);
        List<NewJob> children = all(moves, Move::children);
        if (!children.isEmpty()) {
            jobs.start(tx, children, lease);
            carryOn(tx, children);
        }
        List<LegTwo> results = new ArrayList<>(all(moves, Move::results));
        List<ActivityId> waits = dispatches.stream()
                .filter(LegOne::awaitsSignal)
                .map(LegOne::activity)
                .toList();
        if (!waits.isEmpty()) {
            results.addAll(signals.take(tx, waits));
        }
        Map<Guid, Collated> collated = results.isEmpty() ? Map.of() : collation.collate(tx, results);
        faults.note(tx, dispatches, results);
        List<Move> parking = moves.stream().filter(Move::parks).toList();
        Set<JobId> due = parking.isEmpty() ? Set.of() : postings.park(tx, parking);
        finish(tx, moves.stream().filter(Move::leavesMore).toList());
        for (Move move : moves) {
            boolean refused = move.results().stream().anyMatch(result -> !collated.containsKey(result.guid()));
            Moved done = due.contains(move.job()) ? new Moved.DueAgain() : new Moved.Done();
            answers.putIfAbsent(move.job(), refused ? new Moved.Refused() : done);
        }
    }

    /** Does the work that some moves need beyond the ledgers. */
    private void finish(Tx tx, List<Move> moves) throws SQLException {
        List<JobId> undone = jobsOf(moves, Move::undoes);
        if (!undone.isEmpty()) {
            undos.leaveOne(tx, undone);
        }
        List<JobId> leaving = jobsOf(moves, Move::leavesWaits);
        if (!leaving.isEmpty()) {
            postings.dropWaiting(tx, leaving);
            cancelChildren(tx, leaving);
        }
        List<JobId> failed = jobsOf(moves, Move::fails);
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

    private static List<JobId> jobsOf(List<Move> moves, Predicate<Move> which) {
        return moves.stream().filter(which).map(Move::job).toList();
    }

    private void carryOn(Tx tx, List<NewJob> started) throws SQLException {
        List<NewJob> successors =
                started.stream().filter(job -> job.continuedFrom() != null).toList();
        if (!successors.isEmpty()) {
            chains.carryOn(tx, successors);
        }
    }

    private static <T> List<T> all(List<Move> moves, Function<Move, List<T>> part) {
        return moves.stream().flatMap(move -> part.apply(move).stream()).toList();
    }
}
