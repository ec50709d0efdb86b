package dev.tallystick.core;

import dev.tallystick.core.Entry.CeilingReached;
import dev.tallystick.core.Entry.Entered;
import dev.tallystick.core.Mark.AlreadyMarked;
import dev.tallystick.core.Mark.Marked;
import java.util.List;
import java.util.Optional;

/**
 * The 15 digits of one Leg 2 transition: how often it was tried, which of its steps committed, and whether it closed the job.
 *
 * <p>This ledger drives resume: {@link #nextStep()} makes the whole decision from the number alone. The job-closed snapshot is
 * captured with step 2 and never recomputed: after a crash following that commit, the job would be complete but no transition
 * would own its completion tasks.
 */
public record GuidLedger(long value) implements StepDigits {

    /** The digit groups of this ledger, from left to right. */
    public static final List<Digit> DIGITS = List.of(
            Digit.RESERVED,
            Digit.JOB_CLOSED,
            Digit.WORK_DONE,
            Digit.CHILDREN_SPAWNED,
            Digit.COMPLETION_TASKS_DONE,
            Digit.ATTEMPTS);

    /** A transition that has not been tried yet. */
    public static final GuidLedger ZERO = new GuidLedger(0);

    public GuidLedger {
        LedgerDigits.check(value, DIGITS);
    }

    /** Parses exactly the output of {@link #digits()}. */
    public static GuidLedger parse(String digits) {
        return new GuidLedger(LedgerDigits.parse(digits));
    }

    /** Whether this transition closed its job, and therefore owns the completion tasks. */
    public boolean jobClosed() {
        return isSet(Digit.JOB_CLOSED);
    }

    /** How often this transition was claimed. */
    public int attempts() {
        return Digit.ATTEMPTS.of(value);
    }

    /** The first due step that has not committed; empty when the transition only needs to be acknowledged. */
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
     * Marks step 2 and takes the snapshot together, because they are one fact.
     *
     * @param closesJob whether this step brought the job's semaphore to its threshold
     */
    public Mark<GuidLedger> markChildrenSpawned(boolean closesJob) {
        long snapshot = closesJob && !jobClosed() ? Digit.JOB_CLOSED.weight() : 0;
        return mark(Digit.CHILDREN_SPAWNED, Digit.CHILDREN_SPAWNED.weight() + snapshot);
    }

    public Mark<GuidLedger> markCompletionTasksDone() {
        return mark(Digit.COMPLETION_TASKS_DONE, Digit.COMPLETION_TASKS_DONE.weight());
    }

    @Override
    public String toString() {
        return digits();
    }

    private Mark<GuidLedger> mark(Digit flag, long increment) {
        return isSet(flag) ? new AlreadyMarked<>(this) : new Marked<>(new GuidLedger(value + increment));
    }
}
