package dev.tallystick.keys;

/** What came of a claim at the accept door. Each says what is true once the transaction commits. */
public sealed interface Accept {

    /** The key was free and is now bound to this claim. The caller writes what the key stands for. */
    record Fresh(KeyEntry entry) implements Accept {}

    /**
     * The key is bound to this very claim: an earlier attempt committed and its reply was lost. The caller writes nothing and
     * answers as it would have done the first time.
     */
    record Confirmed(KeyEntry entry) implements Accept {}

    /** The key is bound to an equal request. The caller writes nothing and answers from the entry, as a duplicate. */
    record Replayed(KeyEntry entry) implements Accept {}

    /** The key is bound to another request. The caller writes nothing and refuses. */
    record Reused(KeyReuse reuse) implements Accept {}
}
