package dev.tallystick.ledger;

import java.io.IOException;

/** A file that should hold an anchor holds something else. It is never overwritten: what it knew may still be found. */
public final class DamagedAnchorException extends IOException {

    DamagedAnchorException(String message, Exception cause) {
        super(message, cause);
    }
}
