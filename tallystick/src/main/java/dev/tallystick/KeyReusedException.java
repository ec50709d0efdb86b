package dev.tallystick;

import dev.tallystick.keys.KeyReuse;

/** The key stands for another request. Nothing was done. A new request wants a new key. */
public final class KeyReusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    KeyReusedException(KeyReuse reuse) {
        super("key " + reuse.key() + " stands for another request: its fingerprint begins with " + reuse.boundPrefix()
                + ", this one's with " + reuse.offeredPrefix() + "; a new request wants a new key");
    }
}
