package dev.tallystick.engine.upkeep;

import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Ending;
import dev.tallystick.engine.model.FailureLog;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.JobView;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LegOne;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.engine.model.Queues;
import dev.tallystick.engine.record.CollationStore;
import dev.tallystick.engine.record.Continuations;
import dev.tallystick.engine.record.DeadLetterStore;
import dev.tallystick.engine.record.DuePostingStore;
import dev.tallystick.engine.record.JobStore;
import dev.tallystick.engine.record.PostingStore;
import dev.tallystick.engine.record.PostingStore.Due;
import dev.tallystick.engine.record.UndoStore;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Handles postings that need no worker: when a sleep or a time-out is due, a child has closed, or a job is to be ended from
 * outside, it records the Leg 2 and wakes the body.
 *
 * <p>Several processes may do this at once. Locks are taken in the global order: jobs (only those being ended), then bodies,
 * then due postings. A posting that is gone by then was handled by another process.
 */
public final class TimerService {

    /** The minimum time between two looks. Postings that were locked are looked at again after this time. */
    public static final Duration REST = Duration.ofMillis(20);

    private static final int BATCH = 200;

    private final Database database;
    private final PostingStore postings;
    private final CollationStore collation;
    private final JobStore jobs;
    private final Continuations continuations;
    private final DeadLetterStore letters = new DeadLetterStore();
    private final DuePostingStore duePostings = new DuePostingStore();
    private final UndoStore undos = new UndoStore();

    public TimerService(Database database, PostingStore postings, CollationStore collation, JobStore jobs) {
        this.database = database;
        this.postings = postings;
        this.collation = collation;
        this.jobs = jobs;
        this.continuations = new Continuations(postings, jobs);
    }

    /**
     * The result of one round.
     *
     * @param woken jobs whose bodies may continue
     * @param cancelled jobs that are now closed
     * @param undoing jobs that end once their steps are undone
     * @param failed the jobs that failed because of this, or will have failed once they are undone
     */
    public record Fired(
            List<JobId> woken, List<JobId> cancelled, List<JobId> undoing, List<Failed> failed, boolean mayBeMore) {

        static final Fired NOTHING = new Fired(List.of(), List.of(), List.of(), List.of(), false);
    }

    /** A job that was ended from outside. */
    record Failed(FailureLog.Subject about, String reason) {}

    /** The requests that ended jobs: at once, or once their steps are undone. */
    private record Ended(List<Lease> closed, List<Lease> undoing) {}

    /** The body of a job, to be locked or woken; its fence does not matter for that. */
    public static Lease bodyOf(JobId job) {
        ActivityId main = ActivityId.main(job);
        return new Lease(main, Guid.of(main, 0), 0);
    }

    public Fired fire() {
        Fired fired = database.transact("do what is due", tx -> {
            List<Lease> due = duePostings.dueForEngine(tx, BATCH);
            return due.isEmpty() ? Fired.NOTHING : fire(tx, due);
        });
        fired.failed().forEach(failed -> FailureLog.ended(failed.about(), failed.reason()));
        return fired;
    }

    /** The time until the next posting falls due, if any. */
    public Optional<Duration> next() {
        return database.transact("look for the next moment", tx -> duePostings.next(tx, Queues.ENGINE));
    }

    private Fired fire(Tx tx, List<Lease> due) throws SQLException {
        List<JobId> toEnd = due.stream()
                .filter(TimerService::ends)
                .map(Lease::job)
                .distinct()
                .sorted()
                .toList();
        // Skips jobs that are locked until the next round, so that a frozen process does not block the others.
        Set<JobId> busy = new HashSet<>(toEnd);
        if (!toEnd.isEmpty()) {
            busy.removeAll(collation.lock(tx, toEnd, false));
        }
        busy.addAll(postings.holdFree(tx, bodiesOf(without(busy, due))));
        List<Lease> free = without(busy, due);
        List<Lease> bodies = bodiesOf(free);
        List<Due> still = postings.stillDue(tx, free);
        Ended ended = end(
                tx, still.stream().map(Due::posting).filter(TimerService::ends).toList());
        answer(tx, still.stream().filter(each -> !ends(each.posting())).toList());
        postings.wake(tx, bodies);
        List<JobId> woken =
                still.stream().map(each -> each.posting().job()).distinct().toList();
        if (!ended.undoing().isEmpty()) {
            undos.takeAway(tx, jobsOf(ended.undoing()));
        }
        List<Lease> failed = Stream.concat(ended.closed().stream(), ended.undoing().stream())
                .filter(end -> howEnds(end) != Ending.CANCEL)
                .toList();
        return new Fired(
                woken,
                jobsOf(ended.closed()),
                jobsOf(ended.undoing()),
                withSubjects(tx, failed),
                due.size() == BATCH || !busy.isEmpty());
    }

    private List<Failed> withSubjects(Tx tx, List<Lease> failed) throws SQLException {
        if (failed.isEmpty()) {
            return List.of();
        }
        Map<JobId, FailureLog.Subject> subjects = jobs.subjects(tx, jobsOf(failed));
        return failed.stream()
                .map(end -> new Failed(
                        Objects.requireNonNull(subjects.get(end.job())),
                        howEnds(end).reason()))
                .toList();
    }

    private static List<Lease> without(Set<JobId> jobs, List<Lease> postings) {
        return postings.stream().filter(each -> !jobs.contains(each.job())).toList();
    }

    private static List<Lease> bodiesOf(List<Lease> postings) {
        return postings.stream()
                .map(Lease::job)
                .distinct()
                .map(TimerService::bodyOf)
                .toList();
    }

    private void answer(Tx tx, List<Due> due) throws SQLException {
        List<JobId> sources = new ArrayList<>();
        due.forEach(each -> Optional.ofNullable(each.source()).ifPresent(sources::add));
        Map<JobId, JobView> children = new HashMap<>();
        jobs.closedAmong(tx, sources).forEach(child -> children.put(child.id(), child));
        List<LegTwo> legs = new ArrayList<>();
        for (Due each : due) {
            JobView child = each.source() == null ? null : children.get(each.source());
            legs.add(
                    child == null
                            ? LegTwo.answering(each.posting(), null, null)
                            : LegTwo.answering(each.posting(), child.output(), child.error()));
        }
        if (!legs.isEmpty()) {
            collation.collate(tx, legs);
        }
    }

    /** Ends the jobs with transitions of their own, and requests the end of their children. */
    private Ended end(Tx tx, List<Lease> ends) throws SQLException {
        if (ends.isEmpty()) {
            return new Ended(List.of(), List.of());
        }
        Set<JobId> open = collation.open(tx, jobsOf(ends));
        Map<JobId, Boolean> undo = undos.registered(tx, open);
        List<Lease> late = new ArrayList<>();
        List<Lease> undoing = new ArrayList<>();
        List<Lease> timely = new ArrayList<>();
        for (Lease each : ends) {
            boolean mayUndo = undo.containsKey(each.job()) && !meetsCeiling(each);
            if (!open.contains(each.job()) || undo.getOrDefault(each.job(), false)) {
                late.add(each);
            } else {
                (mayUndo ? undoing : timely).add(each);
            }
        }
        postings.drop(tx, late);
        cancelSuccessors(tx, late);
        enter(tx, timely);
        enter(tx, undoing);
        close(tx, timely);
        beginUndo(tx, undoing);
        List<JobId> children = jobs.openChildren(tx, open);
        if (!children.isEmpty()) {
            postings.postCancel(tx, children);
        }
        return new Ended(timely, undoing);
    }

    private void enter(Tx tx, List<Lease> ends) throws SQLException {
        if (!ends.isEmpty()) {
            collation.enter(
                    tx,
                    ends.stream()
                            .map(each -> LegOne.inline(each.activity(), "end", 0))
                            .toList());
        }
    }

    private void close(Tx tx, List<Lease> ends) throws SQLException {
        if (!ends.isEmpty()) {
            collation.collate(tx, ends.stream().map(TimerService::ending).toList());
            letters.bury(tx, jobsOf(ends));
            postings.dropWaiting(tx, jobsOf(ends));
        }
    }

    /** Records the transition without closing the job: one obligation stays open, the undo, and it will close the job. */
    private void beginUndo(Tx tx, List<Lease> ends) throws SQLException {
        if (!ends.isEmpty()) {
            List<JobId> undone = jobsOf(ends);
            collation.enter(tx, undone.stream().distinct().map(LegOne::undoing).toList());
            collation.collate(
                    tx,
                    ends.stream()
                            .map(each ->
                                    LegTwo.answering(each, null, howEnds(each).reason()))
                            .toList());
            undos.reduceToUndo(tx, undone);
        }
    }

    private static List<JobId> jobsOf(List<Lease> leases) {
        return leases.stream().map(Lease::job).toList();
    }

    private static boolean meetsCeiling(Lease end) {
        return howEnds(end).isCeiling();
    }

    private static Ending howEnds(Lease end) {
        return Ending.of(end.activity()).orElseThrow();
    }

    /** A cancel that arrived while its job was continuing applies to the successor. */
    private void cancelSuccessors(Tx tx, List<Lease> late) throws SQLException {
        List<JobId> cancelled = late.stream()
                .filter(each -> howEnds(each) == Ending.CANCEL)
                .map(Lease::job)
                .toList();
        continuations.cancel(tx, continuations.successors(tx, cancelled).values());
    }

    private static LegTwo ending(Lease end) {
        Ending how = howEnds(end);
        return LegTwo.ending(end.activity(), end.fence(), how.outcome(), null, how.reason());
    }

    private static boolean ends(Lease posting) {
        return Ending.of(posting.activity()).isPresent();
    }
}
