package dev.tallystick.core;

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

    @Override
    public String toString() {
        return digits();
    }
}
