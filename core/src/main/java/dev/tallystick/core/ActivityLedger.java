package dev.tallystick.core;

import dev.tallystick.core.Entry.CeilingReached;
import dev.tallystick.core.Entry.Entered;
import dev.tallystick.core.Mark.AlreadyMarked;
import dev.tallystick.core.Mark.Marked;
import java.util.List;

/**
 * The 15 digits of one activity: how often each leg was entered, and which durable steps have ever committed.
 *
 * <p>Digits only ever grow. Every operation returns the ledger to store, or says why it refuses. The step markers follow those
 * of the {@link GuidLedger}, which alone decides what a transition still has to do: an activity in a cycle runs Leg 2 many
 * times, and sets each marker once.
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

    /** The initial value of every activity. */
    public static final ActivityLedger ZERO = new ActivityLedger(0);

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

    /** Counts a claim of a Leg 1 transition. Commits before the work it counts, so that a fatal Leg 1 is still counted. */
    public Entry<ActivityLedger> enterLegOne() {
        return count(Digit.LEG1_ATTEMPTS);
    }

    public Mark<ActivityLedger> markLegOneComplete() {
        return mark(Digit.LEG1_COMPLETE);
    }

    /** Counts a claim of a Leg 2 transition, in the same transaction that counts it on the {@link GuidLedger}. */
    public Entry<ActivityLedger> enterLegTwo() {
        return count(Digit.LEG2_ENTRIES);
    }

    public Mark<ActivityLedger> markWorkDone() {
        return mark(Digit.WORK_DONE);
    }

    public Mark<ActivityLedger> markChildrenSpawned() {
        return mark(Digit.CHILDREN_SPAWNED);
    }

    public Mark<ActivityLedger> markCompletionTasksDone() {
        return mark(Digit.COMPLETION_TASKS_DONE);
    }

    @Override
    public String toString() {
        return digits();
    }

    private Entry<ActivityLedger> count(Digit counter) {
        return counter.of(value) == counter.maximum()
                ? new CeilingReached<>(this, counter)
                : new Entered<>(new ActivityLedger(value + counter.weight()));
    }

    private Mark<ActivityLedger> mark(Digit flag) {
        return isSet(flag) ? new AlreadyMarked<>(this) : new Marked<>(new ActivityLedger(value + flag.weight()));
    }
}
