package dev.tallystick.keys;

/** The result of a {@link ReserveClaim}. Each case says what is true once the transaction commits. */
public sealed interface Reserve {

    /** The key is pending and this claim holds it. The work may begin. */
    record Reserved(Reservation reservation) implements Reserve {}

    /** An equal request holds the key. Its work may be in progress; this one must not begin. */
    record InProgress(KeyEntry entry) implements Reserve {}

    /** An equal request held the key, and it is unknown whether its work was done. This one must not begin. */
    record OutcomeUnknown(KeyEntry entry) implements Reserve {}

    /** An equal request was committed or rejected. The entry has its answer. */
    record Replayed(KeyEntry entry) implements Reserve {}

    /** The key belongs to a different request. */
    record Reused(KeyReuse reuse) implements Reserve {}
}
