package dev.tallystick.ledger.write;

import java.io.IOException;

/** The ledger can be read here but not written: the private half of its current key is elsewhere. */
public final class MissingKeyException extends IOException {

    public MissingKeyException(String message) {
        super(message);
    }
}
