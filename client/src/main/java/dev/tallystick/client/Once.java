package dev.tallystick.client;

/** What a call under a key came to. */
public sealed interface Once {

    /** The handler ran in this call, and its answer is durable. */
    record Ran(Keys.Answer answer) implements Once {}

    /** The handler ran in an earlier call, not in this one. */
    record Replayed(Keys.Answer answer) implements Once {}

    /** The handler ran and said that nothing happened. The key is free: the same may be asked again. */
    record Released() implements Once {}

    /** The handler runs elsewhere, or died there. It did not run in this call. Ask again later. */
    record InProgress(Keys.Reservation reservation) implements Once {}

    /** The handler may have done its work before, and may not have; it did not run now. Somebody has to find out. */
    record Unresolved(Keys.Reservation reservation) implements Once {}

    /** The handler ran, but before its verdict was recorded somebody else had settled the key. */
    record Overruled() implements Once {}
}
