package dev.tallystick.log.audit;

import dev.tallystick.log.entry.MemberSecret;
import dev.tallystick.log.receipt.KeyProof;
import dev.tallystick.log.tree.Hash;
import java.util.HashMap;
import java.util.Map;

/**
 * What an auditor was shown of some members: their secrets, and the key and number behind each tag. Every acceptance that names one
 * of these secrets must be among them.
 */
public final class MemberAudit {

    /** How often a key that is shown may have been accepted under one secret, each time after an expiry. */
    private static final int MOST_ACCEPTANCES = 16;

    private final Map<Hash, MemberSecret> byPosition = new HashMap<>();
    private final Map<Hash, Hash> positionByTag = new HashMap<>();

    /** Shows a secret. */
    public MemberAudit show(MemberSecret secret) {
        byPosition.put(secret.position(), secret);
        return this;
    }

    /** Shows a key that the member used under a secret, with its acceptance's number. */
    public MemberAudit show(MemberSecret secret, String key, int acceptance) {
        positionByTag.put(secret.tag(MemberSecret.ACCEPT_DOOR, key, acceptance), secret.position());
        return this;
    }

    /** Shows the secrets of the proof's member, and its key. */
    public MemberAudit show(KeyProof proof) {
        for (int i = 0; i < proof.generations().size(); i++) {
            Hash secret = proof.generations().get(i).secret();
            show(new MemberSecret(proof.mesh(), proof.member(), i + 1, secret));
        }
        return show(proof.key());
    }

    /** Shows a key of the members whose secrets are shown by now. */
    public MemberAudit show(String key) {
        for (MemberSecret secret : byPosition.values()) {
            for (int acceptance = 0; acceptance < MOST_ACCEPTANCES; acceptance++) {
                show(secret, key, acceptance);
            }
        }
        return this;
    }

    boolean knows(Hash position) {
        return byPosition.containsKey(position);
    }

    boolean commits(Hash position, Hash commitment) {
        MemberSecret secret = byPosition.get(position);
        return secret != null && secret.commitment().equals(commitment);
    }

    boolean explains(Hash position, Hash tag) {
        Hash shown = positionByTag.get(tag);
        return shown != null && shown.equals(position);
    }
}
