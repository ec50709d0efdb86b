package dev.tallystick.core;

import dev.tallystick.core.Entry.CeilingReached;
import dev.tallystick.core.Entry.Entered;
import dev.tallystick.core.Mark.AlreadyMarked;
import dev.tallystick.core.Mark.Marked;
import java.util.List;
import java.util.Optional;

/**
 * The 15 digits of one Leg 2 transition: how often it was tried, which of its steps committed, and whether it was the one
 * that closed the job.
 *
 * <p>This ledger drives resume: {@link #nextStep()} is the whole decision, and it needs nothing but the number. The job
 * closed snapshot is captured with step 2 and never worked out again, because a crash after that commit would leave a job
 * that is complete and a completion that nobody owns.
 */
public record GuidLedger(long value) {

    /** The places of this ledger, from left to right. */
    public static final List<Digit> DIGITS = List.of(
            Digit.RESERVED,
            Digit.JOB_CLOSED,
            Digit.WORK_DONE,
            Digit.CHILDREN_SPAWNED,
            Digit.COMPLETION_TASKS_DONE,
            Digit.ATTEMPTS);

    /** A transition that nobody has tried yet. */
    public static final GuidLedger ZERO = new GuidLedger(0);

    public GuidLedger {
        LedgerDigits.check(value, DIGITS);
    }

    /** Reads exactly what {@link #digits()} writes. */
    public static GuidLedger parse(String digits) {
        return new GuidLedger(LedgerDigits.parse(digits));
    }

    /** Whether this transition closed its job, and therefore owns the completion tasks. */
    public boolean jobClosed() {
        return isSet(Digit.JOB_CLOSED);
    }

    public boolean workDone() {
        return isSet(Digit.WORK_DONE);
    }

    public boolean childrenSpawned() {
        return isSet(Digit.CHILDREN_SPAWNED);
    }

    public boolean completionTasksDone() {
        return isSet(Digit.COMPLETION_TASKS_DONE);
    }

    /** How often this transition was claimed. */
    public int attempts() {
        return Digit.ATTEMPTS.of(value);
    }

    /** The first step that has not committed and is due; empty when all that is left is to acknowledge the transition. */
    public Optional<Step> nextStep() {
        if (!workDone()) {
            return Optional.of(Step.WORK);
        }
        if (!childrenSpawned()) {
            return Optional.of(Step.CHILDREN);
        }
        if (jobClosed() && !completionTasksDone()) {
            return Optional.of(Step.COMPLETION_TASKS);
        }
        return Optional.empty();
    }

    /** Counts a claim of this transition. */
    public Entry<GuidLedger> enter() {
        return attempts() == Digit.ATTEMPTS.maximum()
                ? new CeilingReached<>(this, Digit.ATTEMPTS)
                : new Entered<>(new GuidLedger(value + Digit.ATTEMPTS.weight()));
    }

    public Mark<GuidLedger> markWorkDone() {
        return mark(Digit.WORK_DONE, Digit.WORK_DONE.weight());
    }

    /**
     * Marks step 2 and takes the snapshot in one move, for they are one fact.
     *
     * @param closesJob whether this very step brought the job's semaphore to its threshold
     */
    public Mark<GuidLedger> markChildrenSpawned(boolean closesJob) {
        long snapshot = closesJob && !jobClosed() ? Digit.JOB_CLOSED.weight() : 0;
        return mark(Digit.CHILDREN_SPAWNED, Digit.CHILDREN_SPAWNED.weight() + snapshot);
    }

    public Mark<GuidLedger> markCompletionTasksDone() {
        return mark(Digit.COMPLETION_TASKS_DONE, Digit.COMPLETION_TASKS_DONE.weight());
    }

    /** All 15 digits, leading zeros included: how people read a ledger. */
    public String digits() {
        return LedgerDigits.show(value);
    }

    @Override
    public String toString() {
        return digits();
    }

    private boolean isSet(Digit flag) {
        return flag.of(value) == 1;
    }

    private Mark<GuidLedger> mark(Digit flag, long increment) {
        return isSet(flag) ? new AlreadyMarked<>(this) : new Marked<>(new GuidLedger(value + increment));
    }
}
