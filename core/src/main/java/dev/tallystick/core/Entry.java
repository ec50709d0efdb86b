package dev.tallystick.core;

/**
 * What came of counting one more entry. Nothing wraps: a counter that is full refuses before the increment.
 *
 * @param <L> the ledger that was asked
 */
public sealed interface Entry<L> {

    /** The entry is counted; {@code ledger} is to be stored. */
    record Entered<L>(L ledger) implements Entry<L> {}

    /** Nothing was counted: {@code counter} stands at its maximum. The activity must fail fast and escalate. */
    record CeilingReached<L>(L ledger, Digit counter) implements Entry<L> {}
}
