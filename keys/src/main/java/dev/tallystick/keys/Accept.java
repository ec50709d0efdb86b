package dev.tallystick.keys;

/** The result of an {@link AcceptClaim}. Each case says what is true once the transaction commits. */
public sealed interface Accept {

    /** The key was free and now belongs to this claim. The caller writes the rows for the key. */
    record Fresh(KeyEntry entry) implements Accept {}

    /**
     * The key already belongs to this very claim: an earlier attempt committed and its reply was lost. The caller writes
     * nothing and answers as it would have the first time.
     */
    record Confirmed(KeyEntry entry) implements Accept {}

    /** The key belongs to an equal request. The caller writes nothing and answers from the entry, as a duplicate. */
    record Replayed(KeyEntry entry) implements Accept {}

    /** The key belongs to a different request. The caller writes nothing and refuses. */
    record Reused(KeyReuse reuse) implements Accept {}
}
