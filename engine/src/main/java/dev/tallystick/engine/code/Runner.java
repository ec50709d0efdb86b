package dev.tallystick.engine.code;

import dev.tallystick.engine.model.ConcurrencyLimit;
import dev.tallystick.engine.model.EngineCrashPoint;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.engine.model.ExecutionStopped;
import dev.tallystick.engine.model.FailureLog;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LeasedJob;
import dev.tallystick.engine.model.RecordedActivity;
import dev.tallystick.engine.model.Threads;
import dev.tallystick.engine.record.DuePostingStore;
import dev.tallystick.engine.record.JobStore;
import dev.tallystick.engine.record.Lanes;
import dev.tallystick.engine.record.LostExecutionStore;
import dev.tallystick.engine.record.PostingStore;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Leases jobs, runs each on a virtual thread of its own, and keeps the leases alive meanwhile. */
public final class Runner {

    private final Database database;
    private final PostingStore postings;
    private final DuePostingStore duePostings = new DuePostingStore();
    private final JobStore jobs;
    private final EngineSettings settings;
    private final ExecutionServices tools;
    private final ConcurrencyLimit concurrencyLimit;
    private final LostExecutionStore legOne = new LostExecutionStore();
    private final BooleanSupplier crowded;
    private final Consumer<Ended> ended;

    private final Lanes lanes;
    private final WorkflowRegistry types = new WorkflowRegistry();
    private final JobExecutor executor;
    private final ConcurrentHashMap<JobId, JobExecution> running = new ConcurrentHashMap<>();

    /** Whether more jobs may be due than there was room for. */
    private volatile boolean starved;

    public Runner(
            Database database,
            PostingStore postings,
            JobStore jobs,
            EngineSettings settings,
            ExecutionServices tools,
            ConcurrencyLimit concurrencyLimit,
            BooleanSupplier crowded,
            Consumer<Closed> closed,
            Consumer<Ended> ended) {
        this.database = database;
        this.postings = postings;
        this.jobs = jobs;
        this.settings = settings;
        this.tools = tools;
        this.concurrencyLimit = concurrencyLimit;
        this.crowded = crowded;
        this.executor = new JobExecutor(database, jobs, settings.lease(), tools, concurrencyLimit, types, closed);
        this.ended = ended;
        this.lanes = new Lanes(database, settings.lease());
    }

    public WorkflowRegistry types() {
        return types;
    }

    /** Bodies that only wait for their final commit take no room. */
    public int free() {
        return concurrencyLimit.free();
    }

    private int room(int limit) {
        return crowded.getAsBoolean() ? 0 : Math.min(limit, free());
    }

    public boolean runs(JobId job) {
        return running.containsKey(job);
    }

    /** Leases and runs due bodies; returns how many. */
    public int claim(String owner, int limit) {
        int wanted = room(limit);
        starved = wanted <= 0;
        if (starved || types.isEmpty()) {
            return 0;
        }
        Set<String> queues = types.queues();
        List<LeasedJob> leased = database.transact(
                "lease bodies",
                tx -> withoutExhausted(tx, duePostings.leaseBodies(tx, queues, wanted, settings.lease(), owner)));
        leased.forEach(this::resume);
        starved = leased.size() == wanted;
        return leased.size();
    }

    /** Like {@link #claim}, for workflows that have limits. */
    public int claimLimited(String owner, int limit) {
        int wanted = room(limit);
        if (wanted <= 0 || types.isEmpty()) {
            return 0;
        }
        List<LeasedJob> leased = database.transact(
                "lease limited bodies",
                tx -> withoutExhausted(tx, lanes.lease(tx, types.rules(), types.queues(), wanted, owner)));
        leased.forEach(this::resume);
        return leased.size();
    }

    private List<LeasedJob> withoutExhausted(Tx tx, List<LeasedJob> leased) throws SQLException {
        Set<JobId> exhausted = countLost(tx, leased);
        return leased.stream()
                .filter(body -> !exhausted.contains(body.lease().job()))
                .toList();
    }

    /** Counts the bodies whose last holder never came back, and returns those whose counter is full. */
    private Set<JobId> countLost(Tx tx, List<LeasedJob> leased) throws SQLException {
        List<JobId> lost = leased.stream()
                .filter(body -> body.wasLost() && !body.isClosed())
                .map(body -> body.lease().job())
                .toList();
        if (lost.isEmpty()) {
            return Set.of();
        }
        Set<JobId> exhausted = new HashSet<>(lost);
        exhausted.removeAll(legOne.count(tx, lost));
        if (!exhausted.isEmpty()) {
            legOne.endExhausted(tx, List.copyOf(exhausted));
        }
        return exhausted;
    }

    /** Runs the body of a job that was just accepted and has no record yet. Completes {@code end} if it ends here. */
    public void begin(LeasedJob body, CompletableFuture<Closed> end) {
        tools.crashPoints().reached(EngineCrashPoint.ACCEPTED);
        run(body, List.of(), end);
    }

    private void resume(LeasedJob body) {
        tools.crashPoints().reached(EngineCrashPoint.LEASED);
        Thread.ofVirtual().name("tally-resume").start(() -> {
            try {
                resumeHere(body);
            } catch (Throwable e) {
                FailureLog.left("job " + body.lease().job(), e);
            }
        });
    }

    private void resumeHere(LeasedJob body) {
        if (body.isClosed()) {
            new JobExecution(body, List.of(), tools).acknowledgeClosed();
        } else {
            run(body, recordOf(body.lease()), new CompletableFuture<>());
        }
    }

    /** Only the holder of a lease adds to the record, so the first holder has none. */
    private List<RecordedActivity> recordOf(Lease lease) {
        return lease.fence() == 1
                ? List.of()
                : database.transact("read record", tx -> jobs.activities(tx, lease.job()));
    }

    private void run(LeasedJob body, List<RecordedActivity> record, CompletableFuture<Closed> end) {
        JobExecution run = new JobExecution(body, record, tools);
        JobExecution before = running.put(run.job(), run);
        if (before != null) {
            before.stop(ExecutionStopped.Reason.LEASE_LOST);
        }
        run.threads().start("tally-body-" + run.job(), () -> {
            try {
                executor.execute(body, run, end);
            } finally {
                running.remove(run.job(), run);
                ended.accept(new Ended(body.isChild(), starved));
            }
        });
    }

    /** A body has stopped running here: a parent may have work now, and due jobs may have been waiting for room. */
    public record Ended(boolean childMayHaveClosed, boolean makesRoom) {}

    /** An activity that the body waits for is done. */
    public void ring(JobId job) {
        JobExecution run = running.get(job);
        if (run != null) {
            run.attention().ring();
        }
    }

    /** Stops the body; the next process to lease it undoes its steps. */
    public void stopToUndo(JobId job) {
        JobExecution run = running.get(job);
        if (run != null) {
            run.stop(ExecutionStopped.Reason.TO_BE_UNDONE);
        }
    }

    public void jobClosed(JobId job) {
        JobExecution run = running.get(job);
        if (run != null) {
            run.stop(ExecutionStopped.Reason.JOB_CLOSED);
        }
    }

    /** Extends the leases of all bodies, and stops those that have lost theirs. */
    public void beat() {
        List<JobExecution> beating = List.copyOf(running.values());
        if (beating.isEmpty()) {
            return;
        }
        List<Lease> leases = beating.stream().map(JobExecution::lease).toList();
        PostingStore.Beat beat = database.transact("heartbeat", tx -> postings.extend(tx, leases, settings.lease()));
        for (JobExecution run : beating) {
            Guid body = run.lease().guid();
            if (beat.closed().contains(body)) {
                run.stop(ExecutionStopped.Reason.JOB_CLOSED);
            } else if (!beat.standing().contains(body)) {
                run.stop(ExecutionStopped.Reason.LEASE_LOST);
            }
        }
    }

    /** Commits results that have waited too long for a batch. */
    public void flushStale() {
        for (JobExecution run : running.values()) {
            if (run.hasStale(settings.resultDelay())) {
                flush(run, stale -> stale.flushStale(settings.resultDelay()));
            }
        }
    }

    private Thread flush(JobExecution run, Consumer<JobExecution> what) {
        return Thread.ofVirtual().name("tally-say").start(() -> {
            try {
                what.accept(run);
            } catch (ExecutionStopped stopped) {
                run.stop(stopped.reason());
            }
        });
    }

    public int forgetLanes() {
        return lanes.sweep();
    }

    /** Lets running steps finish if they do so soon, then releases the leases. */
    public void stopAndRelease(Duration patience) {
        List<JobExecution> left = List.copyOf(running.values());
        left.forEach(JobExecution::stopAfterWork);
        long drained = System.nanoTime() + settings.safeDrain().toNanos();
        left.forEach(run -> run.threads().awaitEnd(drained));
        long deadline = System.nanoTime() + patience.toNanos();
        Threads.awaitAll(
                left.stream().map(run -> flush(run, JobExecution::flush)).toList(), deadline);
        left.forEach(run -> run.stop(ExecutionStopped.Reason.SHUT_DOWN));
        left.forEach(run -> run.threads().awaitEnd(deadline));
        List<Lease> leases = left.stream().map(JobExecution::lease).toList();
        if (!leases.isEmpty()) {
            database.transact("release leases", tx -> {
                postings.release(tx, leases);
                return null;
            });
        }
    }

    /** Behaves like a crash: releases nothing. */
    public void abandon() {
        running.values().forEach(run -> run.stop(ExecutionStopped.Reason.SHUT_DOWN));
    }
}
