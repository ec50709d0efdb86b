package dev.tallystick.engine.model;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Digit;
import dev.tallystick.core.GuidLedger;
import dev.tallystick.core.Ids;
import dev.tallystick.core.Step;
import dev.tallystick.engine.record.CollationStore;
import dev.tallystick.engine.record.JobStore;
import dev.tallystick.sql.Database;
import dev.tallystick.workflow.JobId;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The ledgers of a few jobs, without an engine: tests write through the store and read what it left. */
public final class Ledgers {

    private static final byte[] NOTHING = {};

    private final Database database;
    private final CollationStore collation;
    private final JobStore jobs = new JobStore();
    private final Ids ids = new Ids(Clock.systemUTC(), new SplittableRandom());

    public Ledgers(DataSource source) {
        this(source, new CollationStore());
    }

    Ledgers(DataSource source, CollationStore collation) {
        this.database = Database.on(source, RandomGenerator.getDefault(), CrashPoints.NONE);
        this.collation = collation;
    }

    public Database database() {
        return database;
    }

    public CollationStore collation() {
        return collation;
    }

    /** A job whose body is its only obligation. */
    public JobId job() {
        return childOf(null);
    }

    public JobId childOf(@Nullable ActivityId parent) {
        NewJob job = NewJob.of(new JobId(ids.next()), "default", "flow", 1, NOTHING)
                .parent(parent)
                .build();
        database.transact("start", tx -> {
            jobs.start(tx, List.of(job), Duration.ZERO);
            return null;
        });
        return job.id();
    }

    public JobId job(int semaphore, int threshold) {
        JobId job = job();
        database.transact(
                "set",
                tx -> tx.update(
                        "update tally.job set semaphore = ?, threshold = ? where id = ?",
                        semaphore,
                        threshold,
                        job.value()));
        return job;
    }

    public ActivityId activity(JobId job, String path, String name) {
        ActivityId activity = new ActivityId(job, path, name);
        enter(LegOne.inline(activity, "step", 0));
        return activity;
    }

    public Map<ActivityId, Integer> enter(LegOne... dispatches) {
        return database.transact("enter", tx -> collation.enter(tx, List.of(dispatches)));
    }

    /** All the steps of all the transitions, in one transaction. */
    public Map<Guid, Collated> collate(LegTwo... legs) {
        return collate(List.of(legs));
    }

    Map<Guid, Collated> collate(List<LegTwo> legs) {
        return database.transact("collate", tx -> {
            collation.lock(
                    tx,
                    legs.stream()
                            .map(leg -> leg.activity().job())
                            .distinct()
                            .sorted()
                            .toList(),
                    true);
            return collation.collate(tx, legs);
        });
    }

    /** A Leg 2 of an activity that receives many events. */
    public static LegTwo leg(ActivityId activity, long cycle, int delta) {
        return leg(activity, cycle, delta, "result " + cycle);
    }

    public static LegTwo leg(ActivityId activity, long cycle, int delta, String output) {
        Lease posting = new Lease(activity, Guid.of(activity, cycle), 1);
        return LegTwo.answering(posting, delta, null, output.getBytes(StandardCharsets.UTF_8), null);
    }

    /**
     * Processes a transition as the document does, each step in a transaction of its own, as the GUID ledger says; the children
     * are dispatched with step 2.
     *
     * @param commits after how many transactions the process dies
     * @return the dimension, if it lived to learn it
     */
    public Optional<Integer> process(LegTwo leg, int commits, IntFunction<List<LegOne>> children) {
        if (commits == 0) {
            return Optional.empty();
        }
        Collated now = part(leg, true, Set.of(), children);
        int left = commits - 1;
        for (Optional<Step> step = now.ledger().nextStep();
                step.isPresent();
                step = now.ledger().nextStep()) {
            if (left-- == 0) {
                return Optional.empty();
            }
            now = part(leg, false, Set.of(step.get()), children);
        }
        if (left > 0) {
            collate(leg.only(false, Set.of(Step.COMPLETION_TASKS)));
        }
        return Optional.of(now.ordinal());
    }

    public Optional<Integer> process(LegTwo leg, int commits) {
        return process(leg, commits, dimension -> List.of());
    }

    private Collated part(LegTwo leg, boolean entering, Set<Step> steps, IntFunction<List<LegOne>> children) {
        LegTwo part = new LegTwo(
                leg.activity(),
                leg.guid(),
                leg.fence(),
                leg.delta(),
                leg.outcome(),
                leg.output(),
                leg.error(),
                entering,
                steps,
                false,
                null,
                null,
                false);
        return database.transact("part", tx -> {
            collation.lock(tx, List.of(leg.activity().job()), true);
            Collated now = collation.collate(tx, List.of(part)).get(leg.guid());
            if (now == null) {
                throw new AssertionError("refused");
            }
            if (steps.contains(Step.CHILDREN)) {
                List<LegOne> spawned = children.apply(now.ordinal());
                if (!spawned.isEmpty()) {
                    collation.enter(tx, spawned);
                }
            }
            return now;
        });
    }

    public String activityDigits(ActivityId activity) {
        return text(
                "select lpad(ledger::text, 15, '0') as t from tally.activity where job_id = ? and path = ? and name = ?",
                activity.job().value(),
                activity.path(),
                activity.name());
    }

    public String output(ActivityId activity) {
        return text(
                "select convert_from(output, 'UTF8') as t from tally.activity where job_id = ? and path = ? and name = ?",
                activity.job().value(),
                activity.path(),
                activity.name());
    }

    /** As people read it, with its dimension. */
    public String guidDigits(LegTwo leg) {
        return text(
                "select lpad(ledger::text, 15, '0') || ' #' || ordinal as t from tally.guid where job_id = ? and guid = ?",
                leg.activity().job().value(),
                leg.guid().value());
    }

    public GuidLedger guid(LegTwo leg) {
        return GuidLedger.parse(guidDigits(leg).substring(0, Digit.COUNT));
    }

    /** Semaphore, outcome if closed, and who closed it. */
    public String state(JobId job) {
        return text(
                "select semaphore || coalesce(' ' || outcome, ' open') as t from tally.job where id = ?", job.value());
    }

    public boolean isClosedBy(JobId job, LegTwo leg) {
        return text("select coalesce(closed_by::text, '') as t from tally.job where id = ?", job.value())
                .equals(leg.guid().value().toString());
    }

    public long postings(String name) {
        return Long.parseLong(text("select count(*)::text as t from tally.posting where name = ?", name));
    }

    public void setLedger(ActivityId activity, String digits) {
        database.transact(
                "set",
                tx -> tx.update(
                        "update tally.activity set ledger = ? where job_id = ? and path = ? and name = ?",
                        Long.parseLong(digits),
                        activity.job().value(),
                        activity.path(),
                        activity.name()));
    }

    public void setLedger(LegTwo leg, String digits) {
        database.transact(
                "set",
                tx -> tx.update(
                        "update tally.guid set ledger = ? where job_id = ? and guid = ?",
                        Long.parseLong(digits),
                        leg.activity().job().value(),
                        leg.guid().value()));
    }

    private String text(String sql, Object... parameters) {
        return database.transact("read", tx -> tx.first(sql, row -> row.getString("t"), parameters))
                .orElseThrow(() -> new AssertionError("nothing there: " + sql));
    }
}
