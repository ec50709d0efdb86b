package dev.tallystick.core;

/**
 * The result of counting one more entry. Counters never wrap: a full counter refuses the increment.
 *
 * @param <L> the type of the ledger
 */
public sealed interface Entry<L> {

    /** The entry is counted; store {@code ledger}. */
    record Entered<L>(L ledger) implements Entry<L> {}

    /** Nothing was counted: {@code counter} is at its maximum. The activity must fail fast and escalate. */
    record CeilingReached<L>(L ledger, Digit counter) implements Entry<L> {}
}
