package dev.tallystick.engine;

import dev.tallystick.core.Step;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One run of one body: its lease, its record, and its results that are not committed yet.
 *
 * <p>A result need not be durable before the next step is dispatched, only before it runs. So results wait here and commit
 * before the next step, or together with the next dispatch, which saves a commit; {@link #sayStale} bounds how long they wait.
 *
 * <p>Safe for use by all branch threads of one body.
 */
final class BodyRun {

    /** For this long after a move, the body assumes that its job is open and its lease held. */
    private static final Duration CERTAIN = Duration.ofSeconds(1);

    private final LeasedBody body;
    private final Lease lease;
    private final BodyTools tools;
    private volatile Map<String, RecordedActivity> recorded;
    private volatile @Nullable Undoing undoing;
    private volatile boolean hasUndo;
    private final Attention attention = new Attention(this::park);
    private final BodyThreads threads = new BodyThreads();

    /** Held during a move: a job makes one move at a time. */
    private final ReentrantLock moving = new ReentrantLock();

    private final Unsaid unsaid = new Unsaid();

    /** The paths of tasks for people. */
    private final Set<String> taskPlaces = ConcurrentHashMap.newKeySet();

    /** When the job was last known to be open and the lease to be held. */
    private volatile long stoodAt;

    /** Whether this run has committed anything. */
    private volatile boolean hasMoved;

    /** Whether the body has dispatched anything that ends by itself and may still be open. */
    private volatile boolean waits;

    /** A failure that the body cannot recover from, even if it swallows the exception: it can only fail. */
    private volatile @Nullable RuntimeException broken;

    private volatile BodyStopped.@Nullable Reason stopped;

    BodyRun(LeasedBody body, List<RecordedActivity> record, BodyTools tools) {
        this.body = body;
        this.lease = body.lease();
        this.stoodAt = body.leasedAt();
        this.tools = tools;
        this.recorded = byPath(record);
        record.stream()
                .filter(activity -> Question.isEntered(activity.name()))
                .forEach(activity -> taskPlaces.add(activity.path()));
        this.undoing = Undoing.in(lease.job(), record).orElse(null);
        this.waits = body.isTimed()
                || record.stream().anyMatch(activity -> !activity.name().equals(ActivityId.MAIN) && !activity.isDone());
    }

    private static Map<String, RecordedActivity> byPath(List<RecordedActivity> record) {
        Map<String, RecordedActivity> byPath = HashMap.newHashMap(record.size());
        record.forEach(activity -> byPath.put(activity.path(), activity));
        return byPath;
    }

    /** The undo in progress; null while the body runs normally. */
    @Nullable
    Undoing undoing() {
        return undoing;
    }

    void noteUndo() {
        hasUndo = true;
    }

    boolean hasUndo() {
        return hasUndo
                || recorded.values().stream().anyMatch(each -> each.name().startsWith("$undo:"));
    }

    /** Commits pending results together with the body's failure; the body's obligation passes to the undo. */
    void beginUndo(Fault fault) {
        demandRunning();
        LegTwo failed = LegTwo.whole(lease.activity(), lease.fence(), -1, null, fault.error())
                .failed(fault);
        commit(new Additions().result(failed).dispatch(LegOne.undoing(job())));
        tools.crashPoints().reached(EngineCrashPoint.UNDO_BEGUN);
    }

    /** From here on the body runs only to find its undos. */
    void undo(List<RecordedActivity> record) {
        recorded = byPath(record);
        undoing = Undoing.in(job(), record).orElseThrow();
        broken = null;
    }

    /** Commits pending results together with the end of the undo, which closes the job, and releases the body. */
    void endUndone(LegTwo ending, boolean bodyEnded) {
        demandRunning();
        LegTwo body = LegTwo.answering(lease, null, ending.error());
        LegTwo gone = bodyEnded ? body.only(false, Set.of(Step.COMPLETION_TASKS)) : body;
        commit(new Additions().result(gone).result(ending));
    }

    LeasedBody body() {
        return body;
    }

    Lease lease() {
        return lease;
    }

    String mesh() {
        return body.mesh();
    }

    JobId job() {
        return lease.job();
    }

    /** The job whose ID the keys for foreign systems derive from. */
    JobId keysOf() {
        return body.keysOf();
    }

    BodyTools tools() {
        return tools;
    }

    Attention attention() {
        return attention;
    }

    BodyThreads threads() {
        return threads;
    }

    /** What the record held for this path when the run began. */
    @Nullable
    RecordedActivity recorded(String path) {
        return recorded.get(path);
    }

    /**
     * Whether an earlier run may have got past this place of the body or branch whose paths begin with {@code prefix}. A run
     * that vanished may have begun one thing more than the record says, but nothing after what this run has done.
     */
    boolean mayHavePassed(String prefix, int place) {
        return (body.wasLost() && !(hasMoved && prefix.isEmpty())) || isRecordedBeyond(prefix, place);
    }

    boolean isRecordedBeyond(String prefix, int place) {
        return Places.areBeyond(recorded.keySet(), prefix, place);
    }

    /** Makes the body unwind at its next call, and interrupts its threads. */
    void stop(BodyStopped.Reason reason) {
        stopped = reason;
        threads.interruptAll();
    }

    /** Whether finished work is still recorded even though the body is stopped. */
    boolean mayStillSay() {
        return stopped == BodyStopped.Reason.JOB_CLOSED || stopped == BodyStopped.Reason.SHUT_DOWN;
    }

    /** Makes the body unwind at its next call. A running step may finish. */
    void stopAfterWork() {
        threads.interruptIdle(() -> stopped = BodyStopped.Reason.SHUT_DOWN);
    }

    boolean isStopped() {
        return stopped != null;
    }

    void demandRunning() {
        BodyStopped.Reason reason = stopped;
        if (reason != null) {
            throw new BodyStopped(reason);
        }
    }

    void demandWhole() {
        RuntimeException why = broken;
        if (why != null) {
            throw why;
        }
    }

    /** Refuses all further calls of the body, except while it runs to find its undos. */
    <E extends RuntimeException> E breaking(E why) {
        if (undoing == null) {
            broken = why;
        }
        return why;
    }

    /**
     * Holds a result until the next move.
     *
     * @param check throws if the result no longer counts
     */
    void say(Runnable check, LegTwo result) {
        unsaid.note(check, result);
    }

    /** Holds a result that needed no work until the next move. */
    void say(Runnable check, LegOne dispatch, LegTwo result) {
        unsaid.note(check, dispatch, result);
    }

    /** Holds the decision between branches until the next move, which ends the losers. They are already cancelled. */
    void decide(Runnable check, LegOne dispatch, LegTwo decision, List<String> losers) {
        List<LostBranch> lost = losers.stream()
                .map(path -> new LostBranch(path, tasksIn(path + ".")))
                .toList();
        unsaid.note(check, dispatch, decision, lost);
    }

    private List<TaskId> tasksIn(String prefix) {
        return taskPlaces.stream()
                .filter(path -> path.startsWith(prefix))
                .map(path -> Question.idAt(keysOf(), path))
                .toList();
    }

    /**
     * Begins the first attempt at a repeatable step. Everything before it is durable when this returns. The step's own Leg 1
     * commits with its result, or during the work if that takes long; if the process dies in between, the body's posting has
     * counted the attempt. A run that takes over from a vanished one commits Leg 1 of every step before its work.
     */
    void begin(Scope asker, LegOne dispatch) {
        demandRunning();
        demandWhole();
        if (!body.wasLost()) {
            sayResults();
        }
        if (isStopped() || !isSureOfItself()) {
            dispatch(asker, List.of(dispatch));
            return;
        }
        unsaid.noteBegun(asker::demandHeard, dispatch);
    }

    /** Commits pending results, if any, and waits for those being committed. */
    private void sayResults() {
        moving.lock();
        try {
            if (unsaid.hasResults()) {
                commit(new Additions());
            }
        } finally {
            moving.unlock();
        }
    }

    /** Whether no earlier holder of this body vanished, and a moment ago the job was open and the lease held. */
    private boolean isSureOfItself() {
        long trust = Math.min(CERTAIN.toNanos(), tools.lease().toNanos() / 2);
        return !body.wasLost() && System.nanoTime() - stoodAt < trust;
    }

    /** Commits pending results together with the dispatches. */
    void dispatch(Scope asker, List<LegOne> dispatches) {
        Additions additions = new Additions();
        dispatches.forEach(additions::dispatch);
        dispatch(asker, additions);
    }

    /** Commits pending results together with an activity and the job that it dispatches. */
    void dispatch(Scope asker, LegOne dispatch, NewJob child) {
        waits = true;
        dispatch(asker, new Additions().dispatch(dispatch).job(child.traced(tools.spans().current())));
        tools.crashPoints().reached(EngineCrashPoint.CHILD_STARTED);
        tools.jobsAreDue().run();
    }

    /** A branch dispatches before the decision that ends it commits, which then finds the dispatch, or not at all. */
    private void dispatch(Scope asker, Additions additions) {
        moving.lock();
        try {
            asker.demandHeard();
            for (LegOne dispatch : additions.dispatches()) {
                waits |= dispatch.due() != null;
                if (Question.isEntered(dispatch.activity().name())) {
                    taskPlaces.add(dispatch.activity().path());
                }
            }
            commit(additions);
        } finally {
            moving.unlock();
        }
    }

    /** Commits pending results together with the end. */
    void end(LegTwo ending) {
        demandRunning();
        commit(new Additions().result(ending));
    }

    /** Commits pending results together with the end and the successor job. */
    void continueAsNew(LegTwo ending, NewJob successor) {
        demandRunning();
        commit(new Additions().result(ending).job(successor.traced(tools.spans().current())));
        tools.crashPoints().reached(EngineCrashPoint.CONTINUED);
        tools.jobsAreDue().run();
    }

    /** Releases a closed job: records the finished work and removes the posting. */
    void acknowledgeClosed() {
        tools.mover().bring(withUnsaid(new Additions()));
    }

    /** Whether a result has been pending for too long. */
    boolean hasStale(Duration age) {
        return unsaid.isStale(age);
    }

    /** Commits results that {@link #hasStale} reports, unless a move in progress will. */
    void sayStale(Duration age) {
        if (!moving.tryLock()) {
            return;
        }
        try {
            if (hasStale(age) && !isStopped()) {
                sayUnasked(withUnsaid(new Additions()));
            }
        } finally {
            moving.unlock();
        }
    }

    /** Commits pending results so that another run can resume. */
    void sayAll() {
        moving.lock();
        try {
            Move all = withUnsaid(new Additions());
            if (!all.results().isEmpty() || !all.dispatches().isEmpty()) {
                sayUnasked(all);
            }
        } finally {
            moving.unlock();
        }
    }

    /** Puts refused results back, so the body gets the refusal on its own next move. */
    private void sayUnasked(Move move) {
        try {
            bring(move);
        } catch (NotRecordedException refused) {
            unsaid.putBack(move);
        }
    }

    /** Releases the lease until one of the places is done, and unwinds every thread of this body. */
    private BodyStopped park(Set<String> waitsFor) {
        demandRunning();
        commit(new Additions().waitingFor(waitsFor));
        tools.crashPoints().reached(EngineCrashPoint.PARKED);
        stop(BodyStopped.Reason.PARKED);
        return new BodyStopped(BodyStopped.Reason.PARKED);
    }

    /** A body that a failure broke can commit nothing but its end. */
    private void commit(Additions additions) {
        moving.lock();
        try {
            if (additions.results().isEmpty()) {
                demandWhole();
            }
            bring(withUnsaid(additions));
        } catch (NotRecordedException refused) {
            throw breaking(refused);
        } finally {
            moving.unlock();
        }
    }

    /** Threads that wait for this move proceed only if it succeeded; otherwise they see that the body is stopped. */
    private void bring(Move move) {
        long asked = System.nanoTime();
        try {
            stoodAt = switch (tools.mover().bring(move)) {
                case Moved.Done done -> asked;
                case Moved.DueAgain parked -> asked;
                case Moved.JobClosed closed -> throw stopping(BodyStopped.Reason.JOB_CLOSED);
                case Moved.Refused refused -> throw stopping(BodyStopped.Reason.LEASE_LOST);
                case Moved.LeaseLost lost -> throw stopping(BodyStopped.Reason.LEASE_LOST);
            };
            hasMoved = true;
        } catch (BodyStopped ended) {
            throw stopping(ended.reason());
        }
    }

    /** A move commits, stops the body or is refused to it, so nothing taken from the pending results has to be put back. */
    private Move withUnsaid(Additions additions) {
        Unsaid.Taken taken = unsaid.take(additions.results(), additions.dispatches());
        boolean ends = additions.results().stream().anyMatch(result -> result.outcome() != null);
        return new Move(
                lease,
                body.isChild(),
                taken.results(),
                taken.dispatches(),
                additions.jobs(),
                additions.places(),
                taken.lost(),
                ends && waits);
    }

    /** Stops the body for a reason that one of its threads found. */
    BodyStopped stopping(BodyStopped.Reason reason) {
        stop(reason);
        return new BodyStopped(reason);
    }
}
