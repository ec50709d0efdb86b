package dev.tallystick.keys;

import dev.tallystick.core.Fingerprint;

/**
 * The same key was used for two different requests: the second is refused. The prefixes, 8 bytes in hex, let a client see
 * whether it changed the request or whether the two sides compute fingerprints differently.
 */
public record KeyReuse(ScopedKey key, String boundPrefix, String offeredPrefix) {

    public static KeyReuse of(ScopedKey key, Fingerprint bound, Fingerprint offered) {
        return new KeyReuse(key, bound.prefix(), offered.prefix());
    }

    static KeyReuse of(KeyEntry bound, Fingerprint offered) {
        return of(bound.key(), bound.fingerprint(), offered);
    }
}
