package dev.tallystick.log.receipt;

import dev.tallystick.log.note.Policy;
import dev.tallystick.log.note.VerifierKey;

/**
 * What a verifier brings.
 *
 * @param key the public key of the log, from a source other than the document
 * @param policy which witnesses must have cosigned
 * @param currentKeyOnly whether {@code key} is the current key of the log, so that no other key counts: neither a retired one,
 *     which may have leaked, nor one that it named
 */
public record Trust(VerifierKey key, Policy policy, boolean currentKeyOnly) {

    public static Trust of(VerifierKey key) {
        return new Trust(key, Policy.unwitnessed(), false);
    }

    public Trust with(Policy other) {
        return new Trust(key, other, currentKeyOnly);
    }

    public Trust withCurrentKeyOnly() {
        return new Trust(key, policy, true);
    }
}
