package dev.tallystick.client;

/** The outcome of a call under a key. */
public sealed interface Once {

    /** The handler ran in this call, and its answer is durable. */
    record Ran(Keys.Answer answer) implements Once {}

    /** The handler ran in an earlier call, not in this one. */
    record Replayed(Keys.Answer answer) implements Once {}

    /** The handler ran and reported that nothing happened. The key is free: ask again. */
    record Released() implements Once {}

    /** The handler is running elsewhere, or died there. It did not run in this call. Ask again later. */
    record InProgress(Keys.Reservation reservation) implements Once {}

    /** The handler may have done its work before; it did not run now. Find out what happened, and settle the key. */
    record Unresolved(Keys.Reservation reservation) implements Once {}

    /** The handler ran, but the key was settled otherwise before its verdict was recorded. */
    record Overruled() implements Once {}
}
