package dev.tallystick.keys;

import org.jspecify.annotations.Nullable;

/** The result of a call under a key. */
public sealed interface Once {

    /** The handler ran in this call, and its answer is durable. */
    record Ran(KeyEntry entry) implements Once {}

    /** The handler ran in an earlier call, not in this one; the entry has its answer. */
    record Replayed(KeyEntry entry) implements Once {}

    /** The handler ran in this call and reported that nothing happened. The key is free: the same request may be repeated. */
    record Released() implements Once {}

    /**
     * The handler runs in another call, or died there. It did not run in this call. Ask again later; if its
     * {@link KeyEntry#hold owner} will never come back, pass it to {@link KeyLedger#recover}.
     */
    record InProgress(KeyEntry entry) implements Once {}

    /** The handler may or may not have done its work. The key stays closed until its owner or an operator resolves it. */
    record OutcomeUnknown(KeyEntry entry) implements Once {}

    /** The key belongs to a different request. The handler did not run. */
    record Reused(KeyReuse reuse) implements Once {}

    /**
     * The handler ran in this call, but the key was resolved elsewhere before its verdict was recorded.
     *
     * @param entry the entry of the key instead; null if it was released
     */
    record Overruled(@Nullable KeyEntry entry) implements Once {}
}
