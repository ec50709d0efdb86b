package dev.tallystick.core;

/** What both ledgers say in the same digits: which of the three steps of Leg 2 have committed. */
public sealed interface StepDigits permits ActivityLedger, GuidLedger {

    long value();

    default boolean workDone() {
        return isSet(Digit.WORK_DONE);
    }

    default boolean childrenSpawned() {
        return isSet(Digit.CHILDREN_SPAWNED);
    }

    default boolean completionTasksDone() {
        return isSet(Digit.COMPLETION_TASKS_DONE);
    }

    default boolean isSet(Digit flag) {
        return flag.of(value()) == 1;
    }

    /** All 15 digits with leading zeros, for people to read. */
    default String digits() {
        return LedgerDigits.show(value());
    }
}
