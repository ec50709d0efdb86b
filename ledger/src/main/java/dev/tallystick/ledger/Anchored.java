package dev.tallystick.ledger;

import dev.tallystick.ledger.verifier.Trust;

/**
 * A root that is remembered elsewhere, so that the ledger cannot be taken back behind it unseen.
 *
 * @param rootKey the ledger's first key: a stranger's ledger has another one
 * @param key the key that signs after this root: a history that goes on with a retired key is not this ledger's
 */
public record Anchored(CommitId commit, long position, String root, PublicKey rootKey, PublicKey key) {

    public Anchored {
        if (position < 0 || root.length() != TxHash.HEX || !Digests.isLowerHex(root)) {
            throw new IllegalArgumentException("not a position and a root");
        }
    }

    /** What somebody knows who has this anchor and nothing else. */
    public Trust trust() {
        return addedTo(Trust.nothing());
    }

    /** What somebody knows who has this anchor, and {@code trust} from elsewhere; the latter wins. */
    public Trust addedTo(Trust trust) {
        Trust rooted = trust.rootKey().isEmpty() ? trust.rootedIn(rootKey.line()) : trust;
        return rooted.anchoredAt(position, root, key.line());
    }
}
