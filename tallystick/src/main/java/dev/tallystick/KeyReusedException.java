package dev.tallystick;

import dev.tallystick.keys.KeyReuse;

/** The key is bound to another request. Nothing was done. Use a new key for a new request. */
public final class KeyReusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    KeyReusedException(KeyReuse reuse) {
        super("key " + reuse.key() + " was already used for a different request: its fingerprint begins with "
                + reuse.boundPrefix() + ", this one's with " + reuse.offeredPrefix()
                + "; use a new key for a new request");
    }
}
