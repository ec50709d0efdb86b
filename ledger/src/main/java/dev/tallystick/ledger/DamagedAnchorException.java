package dev.tallystick.ledger;

import java.io.IOException;

/** An anchor file does not hold an anchor. It is never overwritten: its contents may still be recovered. */
public final class DamagedAnchorException extends IOException {

    DamagedAnchorException(String message, Exception cause) {
        super(message, cause);
    }
}
