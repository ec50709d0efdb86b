package dev.tallystick.engine.code;

import dev.tallystick.core.Step;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.ActivityPaths;
import dev.tallystick.engine.model.Checkpoint;
import dev.tallystick.engine.model.CheckpointResult;
import dev.tallystick.engine.model.EngineCrashPoint;
import dev.tallystick.engine.model.ExecutionStopped;
import dev.tallystick.engine.model.Fault;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LeasedJob;
import dev.tallystick.engine.model.LegOne;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.engine.model.LostBranch;
import dev.tallystick.engine.model.NewJob;
import dev.tallystick.engine.model.RecordedActivity;
import dev.tallystick.engine.record.Question;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.NotRecordedException;
import dev.tallystick.workflow.TaskId;
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
 * before the next step, or together with the next dispatch, which saves a commit; {@link #flushStale} bounds how long they wait.
 *
 * <p>Safe for use by all branch threads of one body.
 */
final class JobExecution {

    /** For this long after a checkpoint, the body assumes that its job is open and its lease held. */
    private static final Duration CERTAIN = Duration.ofSeconds(1);

    private final LeasedJob body;
    private final Lease lease;
    private final ExecutionServices tools;
    private volatile Map<String, RecordedActivity> recorded;
    private volatile @Nullable Undoing undoing;
    private volatile boolean hasUndo;
    private final ParkingMonitor parkingMonitor = new ParkingMonitor(this::park);
    private final ExecutionThreads threads = new ExecutionThreads();

    /** Held during a commit: a job commits one checkpoint at a time. */
    private final ReentrantLock committing = new ReentrantLock();

    private final PendingResults pendingResults = new PendingResults();

    /** The paths of tasks for people. */
    private final Set<String> taskPlaces = ConcurrentHashMap.newKeySet();

    /** When the job was last known to be open and the lease to be held. */
    private volatile long stoodAt;

    /** Whether this run has committed anything. */
    private volatile boolean hasCommitted;

    /** Whether the body has dispatched anything that ends by itself and may still be open. */
    private volatile boolean waits;

    /** A failure that the body cannot recover from, even if it swallows the exception: it can only fail. */
    private volatile @Nullable RuntimeException broken;

    private volatile ExecutionStopped.@Nullable Reason stopped;

    JobExecution(LeasedJob body, List<RecordedActivity> record, ExecutionServices tools) {
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
        checkRunning();
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
        checkRunning();
        LegTwo body = LegTwo.answering(lease, null, ending.error());
        LegTwo gone = bodyEnded ? body.only(false, Set.of(Step.COMPLETION_TASKS)) : body;
        commit(new Additions().result(gone).result(ending));
    }

    LeasedJob body() {
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

    ExecutionServices tools() {
        return tools;
    }

    ParkingMonitor attention() {
        return parkingMonitor;
    }

    ExecutionThreads threads() {
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
        return (body.wasLost() && !(hasCommitted && prefix.isEmpty())) || isRecordedBeyond(prefix, place);
    }

    boolean isRecordedBeyond(String prefix, int place) {
        return ActivityPaths.areBeyond(recorded.keySet(), prefix, place);
    }

    /** Makes the body unwind at its next call, and interrupts its threads. */
    void stop(ExecutionStopped.Reason reason) {
        stopped = reason;
        threads.interruptAll();
    }

    /** Whether finished work is still recorded even though the body is stopped. */
    boolean mayStillRecord() {
        return stopped == ExecutionStopped.Reason.JOB_CLOSED || stopped == ExecutionStopped.Reason.SHUT_DOWN;
    }

    /** Makes the body unwind at its next call. A running step may finish. */
    void stopAfterWork() {
        threads.interruptIdle(() -> stopped = ExecutionStopped.Reason.SHUT_DOWN);
    }

    boolean isStopped() {
        return stopped != null;
    }

    void checkRunning() {
        ExecutionStopped.Reason reason = stopped;
        if (reason != null) {
            throw new ExecutionStopped(reason);
        }
    }

    void checkNotBroken() {
        RuntimeException why = broken;
        if (why != null) {
            throw why;
        }
    }

    /** Refuses all further calls of the body, except while it runs to find its undos. */
    <E extends RuntimeException> E poison(E why) {
        if (undoing == null) {
            broken = why;
        }
        return why;
    }

    /**
     * Holds a result until the next checkpoint.
     *
     * @param check throws if the result no longer counts
     */
    void record(Runnable check, LegTwo result) {
        pendingResults.note(check, result);
    }

    /** Holds a result that needed no work until the next checkpoint. */
    void record(Runnable check, LegOne dispatch, LegTwo result) {
        pendingResults.note(check, dispatch, result);
    }

    /** Holds the decision between branches until the next checkpoint, which ends the losers. They are already cancelled. */
    void decide(Runnable check, LegOne dispatch, LegTwo decision, List<String> losers) {
        List<LostBranch> lost = losers.stream()
                .map(path -> new LostBranch(path, tasksIn(path + ".")))
                .toList();
        pendingResults.note(check, dispatch, decision, lost);
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
    void begin(ReplayContext asker, LegOne dispatch) {
        checkRunning();
        checkNotBroken();
        if (!body.wasLost()) {
            flushResults();
        }
        if (isStopped() || !leaseIsFresh()) {
            dispatch(asker, List.of(dispatch));
            return;
        }
        pendingResults.noteBegun(asker::checkNotCancelled, dispatch);
    }

    /** Commits pending results, if any, and waits for those being committed. */
    private void flushResults() {
        committing.lock();
        try {
            if (pendingResults.hasResults()) {
                commit(new Additions());
            }
        } finally {
            committing.unlock();
        }
    }

    /** Whether no earlier holder of this body vanished, and a moment ago the job was open and the lease held. */
    private boolean leaseIsFresh() {
        long trust = Math.min(CERTAIN.toNanos(), tools.lease().toNanos() / 2);
        return !body.wasLost() && System.nanoTime() - stoodAt < trust;
    }

    /** Commits pending results together with the dispatches. */
    void dispatch(ReplayContext asker, List<LegOne> dispatches) {
        Additions additions = new Additions();
        dispatches.forEach(additions::dispatch);
        dispatch(asker, additions);
    }

    /** Commits pending results together with an activity and the job that it dispatches. */
    void dispatch(ReplayContext asker, LegOne dispatch, NewJob child) {
        waits = true;
        dispatch(
                asker,
                new Additions()
                        .dispatch(dispatch)
                        .job(child.traced(tools.spans().current())));
        tools.crashPoints().reached(EngineCrashPoint.CHILD_STARTED);
        tools.jobsAreDue().run();
    }

    /** A branch dispatches before the decision that ends it commits, which then finds the dispatch, or not at all. */
    private void dispatch(ReplayContext asker, Additions additions) {
        committing.lock();
        try {
            asker.checkNotCancelled();
            for (LegOne dispatch : additions.dispatches()) {
                waits |= dispatch.due() != null;
                if (Question.isEntered(dispatch.activity().name())) {
                    taskPlaces.add(dispatch.activity().path());
                }
            }
            commit(additions);
        } finally {
            committing.unlock();
        }
    }

    /** Commits pending results together with the end. */
    void end(LegTwo ending) {
        checkRunning();
        commit(new Additions().result(ending));
    }

    /** Commits pending results together with the end and the successor job. */
    void continueAsNew(LegTwo ending, NewJob successor) {
        checkRunning();
        commit(new Additions().result(ending).job(successor.traced(tools.spans().current())));
        tools.crashPoints().reached(EngineCrashPoint.CONTINUED);
        tools.jobsAreDue().run();
    }

    /** Releases a closed job: records the finished work and removes the posting. */
    void acknowledgeClosed() {
        tools.checkpoints().commit(withPending(new Additions()));
    }

    /** Whether a result has been pending for too long. */
    boolean hasStale(Duration age) {
        return pendingResults.isStale(age);
    }

    /** Commits results that {@link #hasStale} reports, unless a commit in progress will. */
    void flushStale(Duration age) {
        if (!committing.tryLock()) {
            return;
        }
        try {
            if (hasStale(age) && !isStopped()) {
                flushInBackground(withPending(new Additions()));
            }
        } finally {
            committing.unlock();
        }
    }

    /** Commits pending results so that another run can resume. */
    void flush() {
        committing.lock();
        try {
            Checkpoint all = withPending(new Additions());
            if (!all.results().isEmpty() || !all.dispatches().isEmpty()) {
                flushInBackground(all);
            }
        } finally {
            committing.unlock();
        }
    }

    /** Puts refused results back, so the body gets the refusal on its own next checkpoint. */
    private void flushInBackground(Checkpoint checkpoint) {
        try {
            write(checkpoint);
        } catch (NotRecordedException refused) {
            pendingResults.putBack(checkpoint);
        }
    }

    /** Releases the lease until one of the places is done, and unwinds every thread of this body. */
    private ExecutionStopped park(Set<String> waitsFor) {
        checkRunning();
        commit(new Additions().waitingFor(waitsFor));
        tools.crashPoints().reached(EngineCrashPoint.PARKED);
        stop(ExecutionStopped.Reason.PARKED);
        return new ExecutionStopped(ExecutionStopped.Reason.PARKED);
    }

    /** A body that a failure broke can commit nothing but its end. */
    private void commit(Additions additions) {
        committing.lock();
        try {
            if (additions.results().isEmpty()) {
                checkNotBroken();
            }
            write(withPending(additions));
        } catch (NotRecordedException refused) {
            throw poison(refused);
        } finally {
            committing.unlock();
        }
    }

    /** Threads that wait for this commit proceed only if it succeeded; otherwise they see that the body is stopped. */
    private void write(Checkpoint checkpoint) {
        long asked = System.nanoTime();
        try {
            stoodAt = switch (tools.checkpoints().commit(checkpoint)) {
                case CheckpointResult.Done done -> asked;
                case CheckpointResult.DueAgain parked -> asked;
                case CheckpointResult.JobClosed closed -> throw stopping(ExecutionStopped.Reason.JOB_CLOSED);
                case CheckpointResult.Refused refused -> throw stopping(ExecutionStopped.Reason.LEASE_LOST);
                case CheckpointResult.LeaseLost lost -> throw stopping(ExecutionStopped.Reason.LEASE_LOST);
            };
            hasCommitted = true;
        } catch (ExecutionStopped ended) {
            throw stopping(ended.reason());
        }
    }

    /** A checkpoint commits, stops the body or is refused to it, so nothing taken from the pending results has to be put back. */
    private Checkpoint withPending(Additions additions) {
        PendingResults.Taken taken = pendingResults.take(additions.results(), additions.dispatches());
        boolean ends = additions.results().stream().anyMatch(result -> result.outcome() != null);
        return new Checkpoint(
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
    ExecutionStopped stopping(ExecutionStopped.Reason reason) {
        stop(reason);
        return new ExecutionStopped(reason);
    }
}
