package dev.tallystick.engine.code;

import dev.tallystick.core.Unwinding;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.ChildOrder;
import dev.tallystick.engine.model.ConcurrencyLimit;
import dev.tallystick.engine.model.EngineCrashPoint;
import dev.tallystick.engine.model.ExecutionStopped;
import dev.tallystick.engine.model.FailureLog;
import dev.tallystick.engine.model.Fault;
import dev.tallystick.engine.model.LeasedJob;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.engine.model.NewJob;
import dev.tallystick.engine.model.Queues;
import dev.tallystick.engine.record.JobStore;
import dev.tallystick.engine.record.UndoStore;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.NotRecordedException;
import dev.tallystick.workflow.Payloads;
import dev.tallystick.workflow.WorkflowChangedException;
import dev.tallystick.workflow.WorkflowType;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes one leased job to its end: runs the workflow, commits how it ended, undoes its steps if it failed, and announces the
 * end. Thread-safe.
 */
final class JobExecutor {

    private static final Logger LOG = LoggerFactory.getLogger(JobExecutor.class);

    /** After stopping for one of these reasons, another run may be waiting for this one to end before it undoes the steps. */
    private static final Set<ExecutionStopped.Reason> MAY_BE_UNDONE = EnumSet.of(
            ExecutionStopped.Reason.TO_BE_UNDONE,
            ExecutionStopped.Reason.LEASE_LOST,
            ExecutionStopped.Reason.OUTCOME_UNKNOWN);

    private final Database database;
    private final JobStore jobs;
    private final UndoStore undos = new UndoStore();
    private final Duration lease;
    private final ExecutionServices tools;
    private final ConcurrencyLimit concurrencyLimit;
    private final WorkflowRegistry types;
    private final Consumer<Closed> closed;

    JobExecutor(
            Database database,
            JobStore jobs,
            Duration lease,
            ExecutionServices tools,
            ConcurrencyLimit concurrencyLimit,
            WorkflowRegistry types,
            Consumer<Closed> closed) {
        this.database = database;
        this.jobs = jobs;
        this.lease = lease;
        this.tools = tools;
        this.concurrencyLimit = concurrencyLimit;
        this.types = types;
        this.closed = closed;
    }

    /** @param end completed if the job ends here */
    void execute(LeasedJob body, JobExecution run, CompletableFuture<Closed> end) {
        try {
            tools.spans().run(body, () -> runToEnd(body, run, end));
        } catch (ExecutionStopped stopped) {
            release(run, stopped.reason());
        } catch (Throwable e) {
            FailureLog.left("job " + run.job(), e);
        }
    }

    /** Run the workflow, commit how it ended, undo its steps if it failed, announce the end; or continue as a new job. */
    private void runToEnd(LeasedJob body, JobExecution run, CompletableFuture<Closed> end) {
        try {
            announce(run.undoing() == null ? runAndClose(body, run) : undoAndClose(body, run), end);
        } catch (ContinuedAsNew next) {
            Optional<Outcome> refused = continueAsNew(body, run, next);
            refused.ifPresent(failed -> announce(closeOrUndo(body, run, failed), end));
        }
    }

    private Closed runAndClose(LeasedJob body, JobExecution run) {
        // Frees the place before the final commit, so that more bodies than there are places can share a commit.
        Outcome outcome = concurrencyLimit.holding(body.workflow(), () -> runWorkflow(body, run));
        tools.crashPoints().reached(EngineCrashPoint.RETURNED);
        return closeOrUndo(body, run, outcome);
    }

    private Outcome runWorkflow(LeasedJob body, JobExecution run) {
        try {
            run.checkRunning();
            byte[] output = Payloads.encode(tools.codec(), call(typeOf(body), ReplayContext.of(run), body.input()));
            run.checkNotBroken();
            return new Outcome(new Closed(run.job(), JobOutcome.COMPLETED, output, null), null);
        } catch (Unwinding ours) {
            throw ours;
        } catch (Throwable e) {
            run.checkRunning();
            return failed(run, e);
        }
    }

    private void announce(Closed ending, CompletableFuture<Closed> end) {
        tools.crashPoints().reached(EngineCrashPoint.CLOSED);
        tools.spans().closed(ending);
        closed.accept(ending);
        end.complete(ending);
    }

    private record Outcome(Closed closed, @Nullable Fault fault) {

        boolean mustUndo(JobExecution run) {
            return fault != null && run.hasUndo();
        }
    }

    private Closed closeOrUndo(LeasedJob body, JobExecution run, Outcome wanted) {
        Outcome outcome = wanted;
        try {
            commitEnd(body, run, outcome);
        } catch (NotRecordedException refused) {
            // The refused part has been left out by now. A job that never closed would run forever.
            outcome = outcome.fault() == null ? failed(run, refused) : outcome;
            commitEnd(body, run, outcome);
        }
        if (outcome.fault() != null) {
            FailureLog.job(body.about(body.lease().activity()), outcome.fault());
        }
        if (!outcome.mustUndo(run)) {
            return outcome.closed();
        }
        run.undo(database.transact("read record", tx -> jobs.activities(tx, run.job())));
        return undoAndClose(body, run);
    }

    /** Commits the end, or that the steps must be undone first. */
    private static void commitEnd(LeasedJob body, JobExecution run, Outcome outcome) {
        if (outcome.mustUndo(run)) {
            run.beginUndo(Objects.requireNonNull(outcome.fault()));
        } else {
            run.end(endOf(ActivityId.main(run.job()), body, outcome.closed()).failed(outcome.fault()));
        }
    }

    private Outcome failed(JobExecution run, Throwable why) {
        Fault fault = Fault.of(why, tools.codec());
        return new Outcome(new Closed(run.job(), JobOutcome.FAILED, null, fault.error()), fault);
    }

    /** Replays the body to find its undos, runs them, and closes the job. */
    private Closed undoAndClose(LeasedJob body, JobExecution run) {
        Undoing undoing = Objects.requireNonNull(run.undoing());
        Closed ending = concurrencyLimit.holding(body.workflow(), () -> undoAll(body, run, undoing));
        run.endUndone(endOf(ActivityId.undo(run.job()), body, ending), undoing.bodyEnded());
        if (undoing.hasFailed()) {
            FailureLog.job(body.about(body.lease().activity()), Fault.of(String.valueOf(ending.error())));
        }
        return ending;
    }

    private Closed undoAll(LeasedJob body, JobExecution run, Undoing undoing) {
        ReplayContext replayContext = ReplayContext.of(run);
        try {
            run.checkRunning();
            call(typeOf(body), replayContext, body.input());
        } catch (WorkflowChangedException e) {
            run.checkRunning();
            undoing.failed("what stands behind the change: " + e.getMessage());
        } catch (UndoReached | ContinuedAsNew itsEnd) {
            run.checkRunning();
        } catch (Unwinding ours) {
            throw ours;
        } catch (Throwable e) {
            run.checkRunning();
        }
        replayContext.undoAll(undoing);
        return undoing.ending(run.job());
    }

    private static LegTwo endOf(ActivityId last, LeasedJob body, Closed ending) {
        return LegTwo.ending(last, body.lease().fence(), ending.outcome(), ending.output(), ending.error());
    }

    /** Ends the job by continuing it as a new one. If that job cannot be created, returns the failure with the reason. */
    private Optional<Outcome> continueAsNew(LeasedJob body, JobExecution run, ContinuedAsNew next) {
        ActivityId main = body.lease().activity();
        try {
            NewJob successor =
                    tools.successors().apply(new ChildOrder(main, body.mesh(), body.workflow(), next.input()));
            run.continueAsNew(endOf(main, body, new Closed(run.job(), JobOutcome.CONTINUED, null, null)), successor);
            return Optional.empty();
        } catch (TransactionException away) {
            throw away;
        } catch (RuntimeException refused) {
            return Optional.of(failed(run, refused));
        }
    }

    /** The body has stopped here: acknowledges the end that came from outside, or lets the undo begin. */
    private void release(JobExecution run, ExecutionStopped.Reason reason) {
        // The interrupt was for the body; left set, it would close the connection of the next code on this thread.
        Thread.interrupted();
        if (reason == ExecutionStopped.Reason.JOB_CLOSED && run.threads().awaitOthers(lease)) {
            run.acknowledgeClosed();
        }
        if (MAY_BE_UNDONE.contains(reason) && run.threads().awaitOthers(lease)) {
            letUndoBegin(run);
        }
    }

    private void letUndoBegin(JobExecution run) {
        try {
            database.transact("let undo begin", tx -> undos.releaseForUndo(tx, run.job()));
            tools.jobsAreDue().run();
        } catch (TransactionException away) {
            LOG.warn("what job {} did is undone once its lease is over", run.job(), away);
        }
    }

    private WorkflowType<?, ?> typeOf(LeasedJob body) {
        return Objects.requireNonNull(types.get(Queues.of(body.workflow(), body.version())));
    }

    private <I extends @Nullable Object, O extends @Nullable Object> O call(
            WorkflowType<I, O> type, Context context, byte[] input) throws Exception {
        return type.bodies().get().run(context, tools.codec().<I>decode(input, type.input()));
    }
}
