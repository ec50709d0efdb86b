package dev.tallystick.engine;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A Leg 1 on its way into the ledgers: entered and completed together with what it dispatches.
 *
 * @param delta 1 if the activity is an obligation of its own, beside the one that dispatches it
 * @param due when the posting that this dispatches falls due, counted from now; null if the work is done where it is dispatched
 * @param queue who takes that posting
 * @param attempt which attempt at the work this is; one that is said again after its reply was lost is still the same
 * @param begunAt when the work was begun, as {@link System#nanoTime()} has it; null if that is when this is entered
 * @param failed what the attempt failed with, if it did and is not the last
 */
record LegOne(
        ActivityId activity,
        String kind,
        int delta,
        @Nullable Duration due,
        String queue,
        int attempt,
        @Nullable Long begunAt,
        @Nullable Failed failed) {

    /** The attempt has failed; {@code retry} is how long from now the next one begins. */
    record Failed(Fault fault, Duration retry) {}

    LegOne(ActivityId activity, String kind, int delta, @Nullable Duration due, String queue) {
        this(activity, kind, delta, due, queue, 1, null, null);
    }

    /** As this, for an attempt that has failed and is not the last. */
    LegOne failed(Fault fault, Duration retry) {
        return new LegOne(activity, kind, delta, due, queue, attempt, begunAt, new Failed(fault, retry));
    }

    /** As this, for work that begins before this is entered. */
    LegOne begunNow() {
        return new LegOne(activity, kind, delta, due, queue, attempt, System.nanoTime(), failed);
    }

    /** About how much of it is payload. */
    int bytes() {
        return failed == null ? 0 : failed.fault().bytes();
    }

    /** For how long the work has been under way. */
    long ageMicros() {
        return begunAt == null ? 0 : (System.nanoTime() - begunAt) / 1_000;
    }

    static final String AWAIT = "await";

    /** Waits for a signal, and no longer than {@code patience} if there is one. */
    static LegOne await(ActivityId activity, @Nullable Duration patience) {
        return new LegOne(activity, AWAIT, 0, patience, Timekeeper.QUEUE);
    }

    private static final String UNDOING = "undoing";

    /** Taking back what a job has done is an obligation of its own. */
    static LegOne undoing(JobId job) {
        return inline(ActivityId.undo(job), UNDOING, 1);
    }

    boolean undoes() {
        return kind.equals(UNDOING);
    }

    boolean awaitsSignal() {
        return kind.equals(AWAIT);
    }

    /** Whether this is the first attempt at work that the process which dispatches it does itself, and no obligation. */
    boolean isFirstAndHere() {
        return attempt == 1 && failed == null && delta == 0 && due == null && !awaitsSignal();
    }

    /** One attempt at work that the process which dispatches it does itself. */
    static LegOne attempt(ActivityId activity, String kind, int attempt) {
        return new LegOne(activity, kind, 0, null, "", attempt, null, null);
    }

    /** Work that the process which dispatches it does itself. */
    static LegOne inline(ActivityId activity, String kind, int delta) {
        return new LegOne(activity, kind, delta, null, "");
    }
}
