package dev.tallystick.engine.record;

import dev.tallystick.engine.model.Checkpoint;
import dev.tallystick.engine.model.CheckpointResult;
import dev.tallystick.engine.model.Failures;
import dev.tallystick.engine.model.LegOne;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.UnknownOutcomeException;
import dev.tallystick.workflow.NotRecordedException;
import dev.tallystick.workflow.UnknownWorkflowException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Commits checkpoints until the answer is definite: done, refused because the lease is lost, or given up because the engine stops or the database has not
 * answered for a long time. When a body is given up, another process resumes its job after leasing it.
 */
public final class CheckpointRetry implements Checkpoints {

    /** With this many checkpoints in flight, jobs are waiting for the database: more would only wait longer. */
    private static final int MAX_IN_FLIGHT = 200;

    private final GroupCommitter committer;
    private final CheckpointWriter checkpointWriter;
    private final DatabaseRetry databaseRetry;
    private final Runnable claims;
    private final Consumer<Duration> timed;
    private final AtomicInteger inFlight = new AtomicInteger();

    /**
     * @param claims called when more bodies could be leased: it is no longer crowded, or one is due that has just parked
     * @param timed receives the delay until a dispatched posting falls due
     */
    public CheckpointRetry(
            GroupCommitter committer,
            CheckpointWriter checkpointWriter,
            DatabaseRetry databaseRetry,
            Runnable claims,
            Consumer<Duration> timed) {
        this.committer = committer;
        this.checkpointWriter = checkpointWriter;
        this.databaseRetry = databaseRetry;
        this.claims = claims;
        this.timed = timed;
    }

    /**
     * Whether to postpone leasing bodies. Leased bodies run in order of arrival, so a job that another mesh submits next would
     * wait for all of them.
     */
    public boolean isSaturated() {
        return inFlight.get() >= MAX_IN_FLIGHT;
    }

    @Override
    public CheckpointResult commit(Checkpoint checkpoint) {
        inFlight.incrementAndGet();
        try {
            CheckpointResult checkpointResult = commitUntilAnswered(checkpoint);
            if (checkpointResult instanceof CheckpointResult.DueAgain) {
                claims.run();
            }
            for (LegOne dispatch : checkpoint.dispatches()) {
                if (dispatch.due() != null) {
                    timed.accept(dispatch.due());
                }
            }
            return checkpointResult;
        } finally {
            if (inFlight.getAndDecrement() == MAX_IN_FLIGHT) {
                claims.run();
            }
        }
    }

    private CheckpointResult commitUntilAnswered(Checkpoint checkpoint) {
        return databaseRetry.answer(() ->
                committed(() -> committer.submit(checkpointWriter, checkpoint).join()));
    }

    /** The committed result. A checkpoint is guarded, so it may be repeated after anything but a refusal. */
    public static <T> T committed(Supplier<T> checkpoint) {
        try {
            return checkpoint.get();
        } catch (CompletionException e) {
            throw switch (Failures.causeOf(e)) {
                case UnknownWorkflowException elsewhere -> elsewhere;
                case UnknownOutcomeException unknown -> unknown;
                case DefiniteFailureException definite
                when definite.reason() != DefiniteFailureException.Reason.REFUSED -> definite;
                case Throwable refused -> new NotRecordedException(refused);
            };
        }
    }
}
