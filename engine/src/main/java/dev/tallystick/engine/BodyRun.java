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
 * One run of one body: the lease it runs under, what the record says, and what it has not said yet.
 *
 * <p>A result need not be durable before the next thing is dispatched, only before the next thing is done. So results wait here
 * and go out before the next step, or together with whatever else is dispatched next, in one commit instead of two;
 * {@link #sayStale} bounds how long they wait.
 *
 * <p>Safe for the threads of the branches of one body.
 */
final class BodyRun {

    /** For how long after a move nobody is asked again whether there is still a job to work for. */
    private static final Duration CERTAIN = Duration.ofSeconds(1);

    private final LeasedBody body;
    private final Lease lease;
    private final BodyTools tools;
    private volatile Map<String, RecordedActivity> recorded;
    private volatile @Nullable Undoing undoing;
    private volatile boolean hasUndo;
    private final Attention attention = new Attention(this::park);
    private final BodyThreads threads = new BodyThreads();

    /** Held while a move is under way: the moves of one job go one after the other. */
    private final ReentrantLock moving = new ReentrantLock();

    private final Unsaid unsaid = new Unsaid();

    /** Where people are asked. */
    private final Set<String> taskPlaces = ConcurrentHashMap.newKeySet();

    /** When the job was open and the lease stood, as far as is known. */
    private volatile long stoodAt;

    /** Whether this run has committed anything. */
    private volatile boolean hasMoved;

    /** Whether something was dispatched that comes to an end by itself and may not have. */
    private volatile boolean waits;

    /** What the body cannot go on after, whether or not it swallows it: it can only fail. */
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

    /** What is to be undone; null while the body does what it is there for. */
    @Nullable
    Undoing undoing() {
        return undoing;
    }

    /** The body has said how to take something back. */
    void noteUndo() {
        hasUndo = true;
    }

    boolean hasUndo() {
        return hasUndo
                || recorded.values().stream().anyMatch(each -> each.name().startsWith("$undo:"));
    }

    /** Commits what is unsaid together with the failure of the body, whose obligation passes to what undoes it. */
    void beginUndo(Fault fault) {
        demandRunning();
        LegTwo failed = LegTwo.whole(lease.activity(), lease.fence(), -1, null, fault.error())
                .failed(fault);
        move(List.of(failed), List.of(LegOne.undoing(job())), List.of(), List.of());
        tools.crashPoints().reached(EngineCrashPoint.UNDO_BEGUN);
    }

    /** From here on the body is run to find what is to be undone. */
    void undo(List<RecordedActivity> record) {
        recorded = byPath(record);
        undoing = Undoing.in(job(), record).orElseThrow();
        broken = null;
    }

    /** Commits what is unsaid together with the end of undoing, which closes the job, and lets go of the body. */
    void endUndone(LegTwo ending, boolean bodyEnded) {
        demandRunning();
        LegTwo body = LegTwo.answering(lease, null, ending.error());
        LegTwo gone = bodyEnded ? body.only(false, Set.of(Step.COMPLETION_TASKS)) : body;
        move(List.of(gone, ending), List.of(), List.of(), List.of());
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

    /** The job under whose keys it asks foreign systems. */
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

    /** What the record said of a place when this run began. */
    @Nullable
    RecordedActivity recorded(String path) {
        return recorded.get(path);
    }

    /**
     * Whether a run before may have got further than this place of the body or branch whose places begin with {@code prefix}. One
     * that vanished may have begun one thing more than the record says, and not what comes after something that this run has done.
     */
    boolean mayHavePassed(String prefix, int place) {
        return (body.wasLost() && !(hasMoved && prefix.isEmpty())) || isRecordedBeyond(prefix, place);
    }

    boolean isRecordedBeyond(String prefix, int place) {
        return Places.areBeyond(recorded.keySet(), prefix, place);
    }

    /** Makes the body unwind at its next question, and interrupts what it is doing. */
    void stop(BodyStopped.Reason reason) {
        stopped = reason;
        threads.interruptAll();
    }

    /** Whether what is done by now is still recorded, also if it is stopped. */
    boolean mayStillSay() {
        return stopped == BodyStopped.Reason.JOB_CLOSED || stopped == BodyStopped.Reason.SHUT_DOWN;
    }

    /** Makes the body unwind at its next question. A step that is being done may come to its end. */
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

    /** The body is asked nothing more from now on, unless it is looked through for its undos. */
    <E extends RuntimeException> E breaking(E why) {
        if (undoing == null) {
            broken = why;
        }
        return why;
    }

    /**
     * Keeps a result until the next move.
     *
     * @param check throws if it is no longer heard
     */
    void say(Runnable check, LegTwo result) {
        unsaid.note(check, result);
    }

    /** Keeps something that was found out without doing anything, until the next move. */
    void say(Runnable check, LegOne dispatch, LegTwo result) {
        unsaid.note(check, dispatch, result);
    }

    /** Keeps how branches were decided until the next move, which ends those that lost. They have been cancelled. */
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
     * Begins the first attempt at a step that may be done again. What came before it is durable when this returns; its own Leg 1
     * goes out with its result, or while the work is done if that takes long: should the process die meanwhile, the posting of
     * the body has counted the attempt. Whoever takes over from one that vanished announces every step before it is done.
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

    /** Commits the results that are unsaid, if there are any, and waits for those that are on their way. */
    private void sayResults() {
        moving.lock();
        try {
            if (unsaid.hasResults()) {
                move(List.of(), List.of(), List.of(), List.of());
            }
        } finally {
            moving.unlock();
        }
    }

    /** Whether nobody vanished who held this body before, and the job was open and the lease stood a moment ago. */
    private boolean isSureOfItself() {
        long trust = Math.min(CERTAIN.toNanos(), tools.lease().toNanos() / 2);
        return !body.wasLost() && System.nanoTime() - stoodAt < trust;
    }

    /** Commits what is unsaid together with the dispatches. */
    void dispatch(Scope asker, List<LegOne> dispatches) {
        dispatch(asker, dispatches, List.of());
    }

    /** Commits what is unsaid together with an activity and the job that it dispatches. */
    void dispatch(Scope asker, LegOne dispatch, NewJob child) {
        waits = true;
        dispatch(asker, List.of(dispatch), List.of(child.traced(tools.spans().current())));
        tools.crashPoints().reached(EngineCrashPoint.CHILD_STARTED);
        tools.jobsAreDue().run();
    }

    /** A branch dispatches before the decision that ends it has been brought, which finds it then, or not at all. */
    private void dispatch(Scope asker, List<LegOne> dispatches, List<NewJob> children) {
        moving.lock();
        try {
            asker.demandHeard();
            for (LegOne dispatch : dispatches) {
                waits |= dispatch.due() != null;
                if (Question.isEntered(dispatch.activity().name())) {
                    taskPlaces.add(dispatch.activity().path());
                }
            }
            move(List.of(), dispatches, children, List.of());
        } finally {
            moving.unlock();
        }
    }

    /** Commits what is unsaid together with the end. */
    void end(LegTwo ending) {
        demandRunning();
        move(List.of(ending), List.of(), List.of(), List.of());
    }

    /** Commits what is unsaid together with the end and the job that goes on. */
    void goOn(LegTwo ending, NewJob successor) {
        demandRunning();
        move(List.of(ending), List.of(), List.of(successor.traced(tools.spans().current())), List.of());
        tools.crashPoints().reached(EngineCrashPoint.CONTINUED);
        tools.jobsAreDue().run();
    }

    /** Lets go of a job that has closed: what was done is recorded, and the posting is gone. */
    void acknowledgeClosed() {
        tools.mover().bring(withUnsaid(List.of(), List.of(), List.of(), List.of()));
    }

    /** Whether something has been unsaid for too long. */
    boolean hasStale(Duration age) {
        return unsaid.isStale(age);
    }

    /** Commits what {@link #hasStale}, unless a move is under way that will. */
    void sayStale(Duration age) {
        if (!moving.tryLock()) {
            return;
        }
        try {
            if (hasStale(age) && !isStopped()) {
                sayUnasked(withUnsaid(List.of(), List.of(), List.of(), List.of()));
            }
        } finally {
            moving.unlock();
        }
    }

    /** Commits what is unsaid, for somebody else to go on. */
    void sayAll() {
        moving.lock();
        try {
            Move all = withUnsaid(List.of(), List.of(), List.of(), List.of());
            if (!all.results().isEmpty() || !all.dispatches().isEmpty()) {
                sayUnasked(all);
            }
        } finally {
            moving.unlock();
        }
    }

    /** What is refused is put back, so that the body meets the refusal itself with its next move. */
    private void sayUnasked(Move move) {
        try {
            bring(move);
        } catch (NotRecordedException refused) {
            unsaid.putBack(move);
        }
    }

    /** Gives the lease back until one of the places is done, and unwinds every thread of this body. */
    private BodyStopped park(Set<String> waitsFor) {
        demandRunning();
        move(List.of(), List.of(), List.of(), List.copyOf(waitsFor));
        tools.crashPoints().reached(EngineCrashPoint.PARKED);
        stop(BodyStopped.Reason.PARKED);
        return new BodyStopped(BodyStopped.Reason.PARKED);
    }

    /** @param last the end, which alone may follow what broke the body */
    private void move(List<LegTwo> last, List<LegOne> dispatches, List<NewJob> children, List<String> waitsFor) {
        moving.lock();
        try {
            if (last.isEmpty()) {
                demandWhole();
            }
            bring(withUnsaid(last, dispatches, children, waitsFor));
        } catch (NotRecordedException refused) {
            throw breaking(refused);
        } finally {
            moving.unlock();
        }
    }

    /** Whoever waits for this move to end goes on only if it has succeeded, or knows that the body is stopped. */
    private void bring(Move move) {
        long asked = System.nanoTime();
        try {
            stoodAt = switch (tools.mover().bring(move)) {
                case Moved.Done done -> asked;
                case Moved.JobClosed closed -> throw stopping(BodyStopped.Reason.JOB_CLOSED);
                case Moved.Refused refused -> throw stopping(BodyStopped.Reason.LEASE_LOST);
                case Moved.LeaseLost lost -> throw stopping(BodyStopped.Reason.LEASE_LOST);
            };
            hasMoved = true;
        } catch (BodyStopped ended) {
            throw stopping(ended.reason());
        }
    }

    /** A move commits, stops the body or is refused to it, so what is taken from the unsaid need not be put back. */
    private Move withUnsaid(List<LegTwo> last, List<LegOne> dispatches, List<NewJob> children, List<String> waitsFor) {
        Unsaid.Taken taken = unsaid.take(last, dispatches);
        boolean ends = last.stream().anyMatch(result -> result.outcome() != null);
        return new Move(
                lease,
                body.isChild(),
                taken.results(),
                taken.dispatches(),
                children,
                waitsFor,
                taken.lost(),
                ends && waits);
    }

    /** Stops the body, for a reason that one of its threads found out. */
    BodyStopped stopping(BodyStopped.Reason reason) {
        stop(reason);
        return new BodyStopped(reason);
    }
}
