package dev.tallystick.log.audit;

import dev.tallystick.log.entry.MemberSecret;
import dev.tallystick.log.tree.Hash;
import java.util.HashMap;
import java.util.Map;

/**
 * What an auditor was shown of one member: its secrets, and the key and number behind each tag. Every acceptance that names one
 * of these secrets must be among them.
 */
public final class MemberAudit {

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
