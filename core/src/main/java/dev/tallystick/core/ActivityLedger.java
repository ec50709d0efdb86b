package dev.tallystick.core;

import java.util.List;

/**
 * The 15 digits of one activity: how often each leg was entered, and which durable steps have ever committed.
 *
 * <p>Digits only ever grow, in the statements of the database. The step markers follow those of the {@link GuidLedger}, which
 * alone decides what a transition still has to do: an activity in a cycle runs Leg 2 many times, and sets each marker once.
 */
public record ActivityLedger(long value) implements StepDigits {

    /** The digit groups of this ledger, from left to right. */
    public static final List<Digit> DIGITS = List.of(
            Digit.LEG1_ATTEMPTS,
            Digit.LEG1_COMPLETE,
            Digit.WORK_DONE,
            Digit.CHILDREN_SPAWNED,
            Digit.COMPLETION_TASKS_DONE,
            Digit.LEG2_ENTRIES);

    public ActivityLedger {
        LedgerDigits.check(value, DIGITS);
    }

    /** Parses exactly the output of {@link #digits()}. */
    public static ActivityLedger parse(String digits) {
        return new ActivityLedger(LedgerDigits.parse(digits));
    }

    /** Leg 1 transitions claimed so far, replays included. */
    public int legOneAttempts() {
        return Digit.LEG1_ATTEMPTS.of(value);
    }

    /** Whether Leg 1 committed. A Leg 1 transition that finds this set is stale: acknowledge it and do nothing. */
    public boolean legOneComplete() {
        return isSet(Digit.LEG1_COMPLETE);
    }

    /** Leg 2 entries so far, replays included; a GUID that enters first now gets the dimension with this number. */
    public int legTwoEntries() {
        return Digit.LEG2_ENTRIES.of(value);
    }

    @Override
    public String toString() {
        return digits();
    }
}
