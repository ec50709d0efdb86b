package dev.tallystick.core;

/**
 * The result of setting a marker. A marker that is already set is an ordinary outcome: it shows a replay what to skip.
 *
 * @param <L> the type of the ledger
 */
public sealed interface Mark<L> {

    /** The marker is set; store {@code ledger} in the transaction of the work that it proves. */
    record Marked<L>(L ledger) implements Mark<L> {}

    /** Nothing changed: the work behind this marker committed earlier and must not be repeated. */
    record AlreadyMarked<L>(L ledger) implements Mark<L> {}
}
