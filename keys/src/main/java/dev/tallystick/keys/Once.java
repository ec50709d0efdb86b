package dev.tallystick.keys;

import org.jspecify.annotations.Nullable;

/** What a call under a key came to. */
public sealed interface Once {

    /** The handler ran in this call, and its answer is durable. */
    record Ran(KeyEntry entry) implements Once {}

    /** The handler ran in an earlier call, not in this one; the entry has its answer. */
    record Replayed(KeyEntry entry) implements Once {}

    /** The handler ran in this call and said that nothing happened. The key is free: the same request may be made again. */
    record Released() implements Once {}

    /**
     * The handler runs elsewhere, or died there. It did not run in this call. Ask again later; if its {@link KeyEntry#hold
     * owner} will never come back, say so to {@link KeyLedger#recover}.
     */
    record InProgress(KeyEntry entry) implements Once {}

    /** The handler may have done its work, and may not have. The key stays closed until somebody resolves it. */
    record OutcomeUnknown(KeyEntry entry) implements Once {}

    /** The key stands for another request. The handler did not run. */
    record Reused(KeyReuse reuse) implements Once {}

    /**
     * The handler ran in this call, but before its verdict was recorded somebody else had resolved the key.
     *
     * @param entry what the key says instead; null if it was released
     */
    record Overruled(@Nullable KeyEntry entry) implements Once {}
}
