package dev.tallystick.engine.model;

import dev.tallystick.workflow.JobId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A Leg 1 to be written to the ledgers: entered and completed together with its dispatch.
 *
 * @param delta 1 if the activity is an obligation of its own, beside the one that dispatches it
 * @param due when the dispatched posting falls due, counted from now; null if the dispatching process does the work itself
 * @param queue the queue of that posting
 * @param attempt which attempt at the work this is; a repeat after a lost reply has the same number
 * @param begunAt when the work began, by {@link System#nanoTime()}; null if it begins when this is entered
 * @param failed the failure of the attempt, if it failed and is not the last
 */
public record LegOne(
        ActivityId activity,
        String kind,
        int delta,
        @Nullable Duration due,
        String queue,
        int attempt,
        @Nullable Long begunAt,
        @Nullable Failed failed) {

    /** The attempt failed; {@code retry} is the time until the next one. */
    public record Failed(Fault fault, Duration retry) {}

    public LegOne(ActivityId activity, String kind, int delta, @Nullable Duration due, String queue) {
        this(activity, kind, delta, due, queue, 1, null, null);
    }

    /** A copy for an attempt that failed and is not the last. */
    public LegOne failed(Fault fault, Duration retry) {
        return new LegOne(activity, kind, delta, due, queue, attempt, begunAt, new Failed(fault, retry));
    }

    /** A copy for work that begins before this is entered. */
    public LegOne begunNow() {
        return new LegOne(activity, kind, delta, due, queue, attempt, System.nanoTime(), failed);
    }

    /** The approximate payload size. */
    int bytes() {
        return failed == null ? 0 : failed.fault().bytes();
    }

    /** How long the work has been running. */
    public long ageMicros() {
        return begunAt == null ? 0 : (System.nanoTime() - begunAt) / 1_000;
    }

    public static final String AWAIT = "await";

    /** Waits for a signal, for at most {@code patience} if it is set. */
    public static LegOne await(ActivityId activity, @Nullable Duration patience) {
        return new LegOne(activity, AWAIT, 0, patience, Queues.ENGINE);
    }

    private static final String UNDOING = "undoing";

    /** Undoing a job's steps is an obligation of its own. */
    public static LegOne undoing(JobId job) {
        return inline(ActivityId.undo(job), UNDOING, 1);
    }

    boolean undoes() {
        return kind.equals(UNDOING);
    }

    public boolean awaitsSignal() {
        return kind.equals(AWAIT);
    }

    /** Whether this is the first attempt at work that the dispatching process does itself, and not an obligation. */
    boolean isFirstAndHere() {
        return attempt == 1 && failed == null && delta == 0 && due == null && !awaitsSignal();
    }

    /** One attempt at work that the dispatching process does itself. */
    public static LegOne attempt(ActivityId activity, String kind, int attempt) {
        return new LegOne(activity, kind, 0, null, "", attempt, null, null);
    }

    /** Work that the dispatching process does itself. */
    public static LegOne inline(ActivityId activity, String kind, int delta) {
        return new LegOne(activity, kind, delta, null, "");
    }
}
