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
 * @param key the key that signs after that root; empty if that is not known
 */
public record Trust(String rootKey, String currentKey, long position, String root, String key) {

    public static Trust nothing() {
        return new Trust("", "", -1, "", "");
    }

    public static Trust in(String rootKey) {
        return nothing().rootedIn(rootKey);
    }

    public Trust rootedIn(String firstKey) {
        return new Trust(firstKey, currentKey, position, root, key);
    }

    public Trust signedTodayBy(String newestKey) {
        return new Trust(rootKey, newestKey, position, root, key);
    }

    public Trust anchoredAt(long anchorPosition, String anchorRoot) {
        return anchoredAt(anchorPosition, anchorRoot, "");
    }

    public Trust anchoredAt(long anchorPosition, String anchorRoot, String keyAfterIt) {
        return new Trust(rootKey, currentKey, anchorPosition, anchorRoot, keyAfterIt);
    }
}
