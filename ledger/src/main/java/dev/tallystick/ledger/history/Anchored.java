package dev.tallystick.ledger.history;

import dev.tallystick.ledger.git.Digests;
import dev.tallystick.ledger.ssh.PublicKey;
import dev.tallystick.ledger.tx.CommitId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.verifier.Trust;

/**
 * A root that is remembered outside the ledger, so that rolling the ledger back behind it is detected.
 *
 * @param rootKey the ledger's first key, which tells it from other ledgers
 * @param key the key that signs after this root: a history continued by a retired key is not this ledger's
 */
public record Anchored(CommitId commit, long position, String root, PublicKey rootKey, PublicKey key) {

    public Anchored {
        if (position < 0 || root.length() != TxHash.HEX || !Digests.isLowerHex(root)) {
            throw new IllegalArgumentException("not a position and a root");
        }
    }

    /** The trust that this anchor alone gives. */
    public Trust trust() {
        return addedTo(Trust.nothing());
    }

    /** The trust that this anchor and {@code trust} give together; a root key in {@code trust} must be the anchor's. */
    public Trust addedTo(Trust trust) {
        return trust.anchoredAt(position, root, commit.hex(), key.line(), rootKey.line());
    }
}
