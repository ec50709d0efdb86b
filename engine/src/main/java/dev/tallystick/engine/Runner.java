package dev.tallystick.engine;

import dev.tallystick.core.Unwinding;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs bodies on virtual threads, and keeps their leases alive while they run. */
final class Runner {

    private static final Logger LOG = LoggerFactory.getLogger(Runner.class);

    /** After stopping for one of these reasons, another run may be waiting for this one to end before it undoes the steps. */
    private static final Set<BodyStopped.Reason> MAY_BE_UNDONE = EnumSet.of(
            BodyStopped.Reason.TO_BE_UNDONE, BodyStopped.Reason.LEASE_LOST, BodyStopped.Reason.OUTCOME_UNKNOWN);

    private final Database database;
    private final PostingStore postings;
    private final JobStore jobs;
    private final EngineSettings settings;
    private final BodyTools tools;
    private final Room room;
    private final UndoStore undos = new UndoStore();
    private final LegOneStore legOne = new LegOneStore();
    private final BooleanSupplier crowded;
    private final Consumer<Closed> closed;
    private final Consumer<Ended> ended;

    private final Lanes lanes;
    private final CodeTypes types = new CodeTypes();
    private final ConcurrentHashMap<JobId, BodyRun> running = new ConcurrentHashMap<>();

    /** Whether more jobs may be due than there was room for. */
    private volatile boolean starved;

    Runner(
            Database database,
            PostingStore postings,
            JobStore jobs,
            EngineSettings settings,
            BodyTools tools,
            Room room,
            BooleanSupplier crowded,
            Consumer<Closed> closed,
            Consumer<Ended> ended) {
        this.database = database;
        this.postings = postings;
        this.jobs = jobs;
        this.settings = settings;
        this.tools = tools;
        this.room = room;
        this.crowded = crowded;
        this.closed = closed;
        this.ended = ended;
        this.lanes = new Lanes(database, settings.lease());
    }

    /** Jobs keep their version, so each version has its own queue. */
    static String queueOf(String workflow, int version) {
        return workflow + "@" + version;
    }

    CodeTypes types() {
        return types;
    }

    /** Bodies that only wait for their final commit take no room. */
    int free() {
        return room.free();
    }

    private int room(int limit) {
        return crowded.getAsBoolean() ? 0 : Math.min(limit, free());
    }

    boolean runs(JobId job) {
        return running.containsKey(job);
    }

    /** Leases and runs due bodies; returns how many. */
    int claim(String owner, int limit) {
        int wanted = room(limit);
        starved = wanted <= 0;
        if (starved || types.isEmpty()) {
            return 0;
        }
        Set<String> queues = types.queues();
        List<LeasedBody> leased = database.transact(
                "lease bodies",
                tx -> withoutExhausted(tx, postings.leaseBodies(tx, queues, wanted, settings.lease(), owner)));
        leased.forEach(this::resume);
        starved = leased.size() == wanted;
        return leased.size();
    }

    /** Like {@link #claim}, for workflows that have limits. */
    int claimLimited(String owner, int limit) {
        int wanted = room(limit);
        if (wanted <= 0 || types.isEmpty()) {
            return 0;
        }
        List<LeasedBody> leased = database.transact(
                "lease limited bodies",
                tx -> withoutExhausted(tx, lanes.lease(tx, types.rules(), types.queues(), wanted, owner)));
        leased.forEach(this::resume);
        return leased.size();
    }

    private List<LeasedBody> withoutExhausted(Tx tx, List<LeasedBody> leased) throws SQLException {
        Set<JobId> exhausted = countLost(tx, leased);
        return leased.stream()
                .filter(body -> !exhausted.contains(body.lease().job()))
                .toList();
    }

    /** Counts the bodies whose last holder never came back, and returns those whose counter is full. */
    private Set<JobId> countLost(Tx tx, List<LeasedBody> leased) throws SQLException {
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
    void begin(LeasedBody body, CompletableFuture<Closed> end) {
        tools.crashPoints().reached(EngineCrashPoint.ACCEPTED);
        run(body, List.of(), end);
    }

    private void resume(LeasedBody body) {
        tools.crashPoints().reached(EngineCrashPoint.LEASED);
        Thread.ofVirtual().name("tally-resume").start(() -> {
            try {
                resumeHere(body);
            } catch (Throwable e) {
                FailureLog.left("job " + body.lease().job(), e);
            }
        });
    }

    private void resumeHere(LeasedBody body) {
        if (body.isClosed()) {
            new BodyRun(body, List.of(), tools).acknowledgeClosed();
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

    private void run(LeasedBody body, List<RecordedActivity> record, CompletableFuture<Closed> end) {
        BodyRun run = new BodyRun(body, record, tools);
        BodyRun before = running.put(run.job(), run);
        if (before != null) {
            before.stop(BodyStopped.Reason.LEASE_LOST);
        }
        run.threads().start("tally-body-" + run.job(), () -> execute(body, run, end));
    }

    private void execute(LeasedBody body, BodyRun run, CompletableFuture<Closed> end) {
        try {
            tools.spans().run(body, () -> finish(body, run, end));
        } catch (BodyStopped stopped) {
            letGo(run, stopped.reason());
        } catch (Throwable e) {
            FailureLog.left("job " + run.job(), e);
        } finally {
            running.remove(run.job(), run);
            ended.accept(new Ended(body.isChild(), starved));
        }
    }

    private void finish(LeasedBody body, BodyRun run, CompletableFuture<Closed> end) {
        try {
            tell(run.undoing() == null ? runBody(body, run) : undo(body, run), end);
        } catch (ContinuedAsNew next) {
            Optional<Outcome> refused = goOn(body, run, next);
            refused.ifPresent(failed -> tell(close(body, run, failed), end));
        }
    }

    private void tell(Closed ending, CompletableFuture<Closed> end) {
        tools.crashPoints().reached(EngineCrashPoint.CLOSED);
        tools.spans().closed(ending);
        closed.accept(ending);
        end.complete(ending);
    }

    private Closed runBody(LeasedBody body, BodyRun run) {
        // Frees the place before the final commit, so that more bodies than there are places can share a commit.
        Outcome ending = room.holding(body.workflow(), () -> ending(body, run));
        tools.crashPoints().reached(EngineCrashPoint.RETURNED);
        return close(body, run, ending);
    }

    private record Outcome(Closed closed, @Nullable Fault fault) {}

    private Closed close(LeasedBody body, BodyRun run, Outcome wanted) {
        Outcome ending = wanted;
        try {
            conclude(body, run, ending);
        } catch (NotRecordedException refused) {
            // The refused part has been left out by now. A job that never closed would run forever.
            ending = ending.fault() == null ? failed(run, refused) : ending;
            conclude(body, run, ending);
        }
        if (ending.fault() != null) {
            FailureLog.job(body.about(body.lease().activity()), ending.fault());
        }
        if (!isToBeUndone(run, ending)) {
            return ending.closed();
        }
        run.undo(database.transact("read record", tx -> jobs.activities(tx, run.job())));
        return undo(body, run);
    }

    /** Commits the end, or that the steps must be undone first. */
    private static void conclude(LeasedBody body, BodyRun run, Outcome ending) {
        Fault fault = ending.fault();
        if (fault != null && run.hasUndo()) {
            run.beginUndo(fault);
        } else {
            run.end(ending(ActivityId.main(run.job()), body, ending.closed()).failed(fault));
        }
    }

    private static boolean isToBeUndone(BodyRun run, Outcome ending) {
        return ending.fault() != null && run.hasUndo();
    }

    private Outcome failed(BodyRun run, Throwable why) {
        Fault fault = Fault.of(why, tools.codec());
        return new Outcome(new Closed(run.job(), JobOutcome.FAILED, null, fault.error()), fault);
    }

    /** Replays the body to find its undos, runs them, and closes the job. */
    private Closed undo(LeasedBody body, BodyRun run) {
        Undoing undoing = Objects.requireNonNull(run.undoing());
        Closed ending = room.holding(body.workflow(), () -> undoAll(body, run, undoing));
        run.endUndone(ending(ActivityId.undo(run.job()), body, ending), undoing.bodyEnded());
        if (undoing.hasFailed()) {
            FailureLog.job(body.about(body.lease().activity()), Fault.of(String.valueOf(ending.error())));
        }
        return ending;
    }

    private Closed undoAll(LeasedBody body, BodyRun run, Undoing undoing) {
        Scope scope = Scope.of(run);
        try {
            run.demandRunning();
            call(typeOf(body), scope, body.input());
        } catch (WorkflowChangedException e) {
            run.demandRunning();
            undoing.failed("what stands behind the change: " + e.getMessage());
        } catch (UndoReached | ContinuedAsNew itsEnd) {
            run.demandRunning();
        } catch (Unwinding ours) {
            throw ours;
        } catch (Throwable e) {
            run.demandRunning();
        }
        scope.undoAll(undoing);
        return undoing.ending(run.job());
    }

    private static LegTwo ending(ActivityId last, LeasedBody body, Closed ending) {
        return LegTwo.ending(last, body.lease().fence(), ending.outcome(), ending.output(), ending.error());
    }

    /** Ends the job by continuing it as a new one. If that job cannot be created, returns the failure with the reason. */
    private Optional<Outcome> goOn(LeasedBody body, BodyRun run, ContinuedAsNew next) {
        ActivityId main = body.lease().activity();
        try {
            NewJob successor =
                    tools.successors().apply(new ChildOrder(main, body.mesh(), body.workflow(), next.input()));
            run.goOn(ending(main, body, new Closed(run.job(), JobOutcome.CONTINUED, null, null)), successor);
            return Optional.empty();
        } catch (TransactionException away) {
            throw away;
        } catch (RuntimeException refused) {
            return Optional.of(failed(run, refused));
        }
    }

    private void letGo(BodyRun run, BodyStopped.Reason reason) {
        // The interrupt was for the body; left set, it would close the connection of the next code on this thread.
        Thread.interrupted();
        if (reason == BodyStopped.Reason.JOB_CLOSED && run.threads().awaitOthers(settings.lease())) {
            run.acknowledgeClosed();
        }
        if (MAY_BE_UNDONE.contains(reason) && run.threads().awaitOthers(settings.lease())) {
            letUndoBegin(run);
        }
    }

    private void letUndoBegin(BodyRun run) {
        try {
            database.transact("let undo begin", tx -> undos.letBegin(tx, run.job()));
            tools.jobsAreDue().run();
        } catch (TransactionException away) {
            LOG.warn("what job {} did is undone once its lease is over", run.job(), away);
        }
    }

    /** A body has stopped running here: a parent may have work now, and due jobs may have been waiting for room. */
    record Ended(boolean childMayHaveClosed, boolean makesRoom) {}

    private Outcome ending(LeasedBody body, BodyRun run) {
        try {
            run.demandRunning();
            byte[] output = Payloads.encode(tools.codec(), call(typeOf(body), Scope.of(run), body.input()));
            run.demandWhole();
            return new Outcome(new Closed(run.job(), JobOutcome.COMPLETED, output, null), null);
        } catch (Unwinding ours) {
            throw ours;
        } catch (Throwable e) {
            run.demandRunning();
            return failed(run, e);
        }
    }

    private WorkflowType<?, ?> typeOf(LeasedBody body) {
        return Objects.requireNonNull(types.get(queueOf(body.workflow(), body.version())));
    }

    private <I extends @Nullable Object, O extends @Nullable Object> O call(
            WorkflowType<I, O> type, Context context, byte[] input) throws Exception {
        return type.bodies().get().run(context, tools.codec().<I>decode(input, type.input()));
    }

    /** An activity that the body waits for is done. */
    void ring(JobId job) {
        BodyRun run = running.get(job);
        if (run != null) {
            run.attention().ring();
        }
    }

    /** Stops the body; the next process to lease it undoes its steps. */
    void undo(JobId job) {
        BodyRun run = running.get(job);
        if (run != null) {
            run.stop(BodyStopped.Reason.TO_BE_UNDONE);
        }
    }

    void jobClosed(JobId job) {
        BodyRun run = running.get(job);
        if (run != null) {
            run.stop(BodyStopped.Reason.JOB_CLOSED);
        }
    }

    /** Extends the leases of all bodies, and stops those that have lost theirs. */
    void beat() {
        List<BodyRun> beating = List.copyOf(running.values());
        if (beating.isEmpty()) {
            return;
        }
        List<Lease> leases = beating.stream().map(BodyRun::lease).toList();
        PostingStore.Beat beat = database.transact("heartbeat", tx -> postings.extend(tx, leases, settings.lease()));
        for (BodyRun run : beating) {
            Guid body = run.lease().guid();
            if (beat.closed().contains(body)) {
                run.stop(BodyStopped.Reason.JOB_CLOSED);
            } else if (!beat.standing().contains(body)) {
                run.stop(BodyStopped.Reason.LEASE_LOST);
            }
        }
    }

    /** Commits results that have waited too long for a batch. */
    void sayStale() {
        for (BodyRun run : running.values()) {
            if (run.hasStale(settings.unsaid())) {
                say(run, stale -> stale.sayStale(settings.unsaid()));
            }
        }
    }

    private Thread say(BodyRun run, Consumer<BodyRun> what) {
        return Thread.ofVirtual().name("tally-say").start(() -> {
            try {
                what.accept(run);
            } catch (BodyStopped stopped) {
                run.stop(stopped.reason());
            }
        });
    }

    int forgetLanes() {
        return lanes.sweep();
    }

    /** Lets running steps finish if they do so soon, then releases the leases. */
    void stopAndRelease(Duration patience) {
        List<BodyRun> left = List.copyOf(running.values());
        left.forEach(BodyRun::stopAfterWork);
        long drained = System.nanoTime() + settings.safeDrain().toNanos();
        left.forEach(run -> run.threads().awaitEnd(drained));
        long deadline = System.nanoTime() + patience.toNanos();
        BodyThreads.awaitAll(left.stream().map(run -> say(run, BodyRun::sayAll)).toList(), deadline);
        left.forEach(run -> run.stop(BodyStopped.Reason.SHUT_DOWN));
        left.forEach(run -> run.threads().awaitEnd(deadline));
        List<Lease> leases = left.stream().map(BodyRun::lease).toList();
        if (!leases.isEmpty()) {
            database.transact("release leases", tx -> {
                postings.release(tx, leases);
                return null;
            });
        }
    }

    /** Behaves like a crash: releases nothing. */
    void abandon() {
        running.values().forEach(run -> run.stop(BodyStopped.Reason.SHUT_DOWN));
    }
}
