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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does what needs no worker: when a sleep or a time-out is due, a child has closed, or a job is to end from outside, the Leg 2
 * of that is recorded and the body woken.
 *
 * <p>Several may be at it. Locks are taken as everywhere: jobs (only where one is ended), then bodies, then what is due; what
 * is gone by then was done by somebody else.
 */
final class Timekeeper {

    static final String QUEUE = "$engine";

    private static final Logger LOG = LoggerFactory.getLogger(Timekeeper.class);

    private static final int BATCH = 200;

    private final Database database;
    private final PostingStore postings;
    private final CollationStore collation;
    private final JobStore jobs;
    private final Chains chains;
    private final DeadLetterStore letters = new DeadLetterStore();

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
     * @param escalated those of them that met a ceiling, which somebody must look at
     */
    record Fired(List<JobId> woken, List<JobId> cancelled, List<JobId> escalated, boolean mayBeMore) {

        static final Fired NOTHING = new Fired(List.of(), List.of(), List.of(), false);
    }

    /** The body of a job, to be locked or woken; for that its fence does not matter. */
    static Lease bodyOf(JobId job) {
        ActivityId main = ActivityId.main(job);
        return new Lease(main, Guid.of(main, 0), 0);
    }

    Fired fire() {
        Fired fired = database.transact("do what is due", tx -> {
            List<Lease> due = postings.dueForEngine(tx, BATCH);
            return due.isEmpty() ? Fired.NOTHING : fire(tx, due);
        });
        fired.escalated().forEach(job -> LOG.error("job {} met a ceiling and has failed: it is a dead letter", job));
        return fired;
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
        List<Lease> ended = end(
                tx, still.stream().map(Due::posting).filter(Timekeeper::ends).toList());
        answer(tx, still.stream().filter(each -> !ends(each.posting())).toList());
        postings.wake(tx, bodies);
        List<JobId> woken =
                still.stream().map(each -> each.posting().job()).distinct().toList();
        List<JobId> escalated = ended.stream()
                .filter(each -> each.activity().equals(ActivityId.ceiling(each.job())))
                .map(Lease::job)
                .toList();
        return new Fired(woken, ended.stream().map(Lease::job).toList(), escalated, due.size() == BATCH);
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

    /** Ends the jobs with transitions of their own, asks for the end of their children, and returns what has ended one. */
    private List<Lease> end(Tx tx, List<Lease> ends) throws SQLException {
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
            letters.bury(tx, open);
            List<JobId> children = jobs.openChildren(tx, open);
            postings.postCancel(tx, children);
            postings.dropWaiting(tx, open);
        }
        return timely;
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
