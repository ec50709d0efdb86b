package dev.tallystick.core;

/**
 * What came of setting a marker. Finding it set is an ordinary outcome: that is how a replay learns what to skip.
 *
 * @param <L> the ledger that was asked
 */
public sealed interface Mark<L> {

    /** The marker is set; {@code ledger} is to be stored in the transaction of the work that it proves. */
    record Marked<L>(L ledger) implements Mark<L> {}

    /** Nothing changed: the work behind this marker has committed before and must not be done again. */
    record AlreadyMarked<L>(L ledger) implements Mark<L> {}
}
