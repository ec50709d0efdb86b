package dev.tallystick.engine;

import dev.tallystick.engine.PostingStore.Due;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Does what needs no worker: when a sleep or a time-out is due, a child has closed, or a job is to end from outside, the Leg 2
 * of that is recorded and the body woken.
 *
 * <p>Several may be at it. Locks are taken as everywhere: jobs (only where one is ended), then bodies, then what is due; what
 * is gone by then was done by somebody else.
 */
final class Timekeeper {

    static final String QUEUE = "$engine";

    private static final int BATCH = 200;

    private final Database database;
    private final PostingStore postings;
    private final CollationStore collation;
    private final JobStore jobs;
    private final Chains chains;

    Timekeeper(Database database, PostingStore postings, CollationStore collation, JobStore jobs) {
        this.database = database;
        this.postings = postings;
        this.collation = collation;
        this.jobs = jobs;
        this.chains = new Chains(postings, jobs);
    }

    /**
     * What was done.
     *
     * @param woken jobs whose bodies may go on
     * @param cancelled jobs that are closed now
     */
    record Fired(List<JobId> woken, List<JobId> cancelled, boolean mayBeMore) {

        static final Fired NOTHING = new Fired(List.of(), List.of(), false);
    }

    /** The body of a job, to be locked or woken; for that its fence does not matter. */
    static Lease bodyOf(JobId job) {
        ActivityId main = ActivityId.main(job);
        return new Lease(main, Guid.of(main, 0), 0);
    }

    Fired fire() {
        return database.transact("do what is due", tx -> {
            List<Lease> due = postings.dueForEngine(tx, BATCH);
            return due.isEmpty() ? Fired.NOTHING : fire(tx, due);
        });
    }

    private Fired fire(Tx tx, List<Lease> due) throws SQLException {
        List<JobId> toEnd = due.stream()
                .filter(Timekeeper::ends)
                .map(Lease::job)
                .distinct()
                .sorted()
                .toList();
        if (!toEnd.isEmpty()) {
            collation.lock(tx, toEnd, true);
        }
        List<Lease> bodies =
                due.stream().map(Lease::job).distinct().map(Timekeeper::bodyOf).toList();
        postings.hold(tx, bodies);
        List<Due> still = postings.stillDue(tx, due);
        List<JobId> cancelled = end(
                tx, still.stream().map(Due::posting).filter(Timekeeper::ends).toList());
        answer(tx, still.stream().filter(each -> !ends(each.posting())).toList());
        postings.wake(tx, bodies);
        List<JobId> woken =
                still.stream().map(each -> each.posting().job()).distinct().toList();
        return new Fired(woken, cancelled, due.size() == BATCH);
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

    /** Ends the jobs with transitions of their own, and asks for the end of their children. */
    private List<JobId> end(Tx tx, List<Lease> ends) throws SQLException {
        if (ends.isEmpty()) {
            return List.of();
        }
        List<JobId> ids = ends.stream().map(Lease::job).toList();
        Set<JobId> open = collation.open(tx, ids);
        List<Lease> late =
                ends.stream().filter(each -> !open.contains(each.job())).toList();
        postings.drop(tx, late);
        cancelSuccessors(tx, late);
        List<Lease> timely =
                ends.stream().filter(each -> open.contains(each.job())).toList();
        if (!timely.isEmpty()) {
            collation.enter(
                    tx,
                    timely.stream()
                            .map(each -> LegOne.inline(each.activity(), "end", 0))
                            .toList());
            collation.collate(tx, timely.stream().map(Timekeeper::ending).toList());
            List<JobId> children = jobs.openChildren(tx, open);
            postings.postCancel(tx, children);
            postings.dropWaiting(tx, open);
        }
        return timely.stream().map(Lease::job).collect(Collectors.toList());
    }

    /** A cancel that came while its job went on is for the job that it became. */
    private void cancelSuccessors(Tx tx, List<Lease> late) throws SQLException {
        List<JobId> cancelled = late.stream()
                .filter(each ->
                        Ending.of(each.activity()).filter(Ending.CANCEL::equals).isPresent())
                .map(Lease::job)
                .toList();
        chains.cancel(tx, chains.successors(tx, cancelled).values());
    }

    private static LegTwo ending(Lease end) {
        Ending how = Ending.of(end.activity()).orElseThrow();
        return LegTwo.ending(end.activity(), end.fence(), how.outcome(), null, how.reason());
    }

    private static boolean ends(Lease posting) {
        return Ending.of(posting.activity()).isPresent();
    }
}
