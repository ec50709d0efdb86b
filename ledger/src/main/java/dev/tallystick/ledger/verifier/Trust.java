package dev.tallystick.ledger.verifier;

/**
 * What the verifier brings along, because it must not be taken from the ledger under suspicion.
 *
 * @param rootKey the ledger's first public key, {@code ssh-ed25519 AAAA…}; empty to believe the ledger, which then proves
 *     only that it is consistent
 * @param position of a root that is known to have been there; -1 if none is known
 * @param root that root
 */
public record Trust(String rootKey, long position, String root) {

    public static Trust nothing() {
        return new Trust("", -1, "");
    }

    public static Trust in(String rootKey) {
        return new Trust(rootKey, -1, "");
    }

    public Trust anchoredAt(long anchorPosition, String anchorRoot) {
        return new Trust(rootKey, anchorPosition, anchorRoot);
    }
}
