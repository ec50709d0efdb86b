package dev.tallystick.ledger.verifier;

/**
 * What the verifier brings along, because it must not be taken from the ledger under suspicion.
 *
 * @param rootKey the ledger's first public key, {@code ssh-ed25519 AAAA…}; empty to believe the ledger, which then proves
 *     only that it is consistent
 * @param currentKey the key that signs today; empty if that is not known. With it, a history that a retired key has
 *     continued is not taken for the ledger's
 * @param position of a root that is known to have been there; -1 if none is known
 * @param root that root
 * @param commit the commit that bears that root; empty if that is not known
 * @param key the key that signs after that root; empty if that is not known
 * @param anchorRootKey the ledger's first public key as the anchor knows it; empty if it does not
 */
public record Trust(
        String rootKey,
        String currentKey,
        long position,
        String root,
        String commit,
        String key,
        String anchorRootKey) {

    public static Trust nothing() {
        return new Trust("", "", -1, "", "", "", "");
    }

    public static Trust in(String rootKey) {
        return nothing().rootedIn(rootKey);
    }

    public Trust rootedIn(String firstKey) {
        return new Trust(firstKey, currentKey, position, root, commit, key, anchorRootKey);
    }

    public Trust signedTodayBy(String newestKey) {
        return new Trust(rootKey, newestKey, position, root, commit, key, anchorRootKey);
    }

    public Trust anchoredAt(long anchorPosition, String anchorRoot) {
        return new Trust(rootKey, currentKey, anchorPosition, anchorRoot, "", "", "");
    }

    /** Adds all that an anchor says; its root key counts where no other is known. */
    public Trust anchoredAt(
            long anchorPosition, String anchorRoot, String anchorCommit, String keyAfterIt, String firstKey) {
        String known = rootKey.isEmpty() ? firstKey : rootKey;
        return new Trust(known, currentKey, anchorPosition, anchorRoot, anchorCommit, keyAfterIt, firstKey);
    }
}
