package dev.tallystick.ledger;

import java.io.IOException;

/** An object on disk does not match its ID. Repeating will not help: restore it from a clone, then verify. */
public final class DamagedObjectException extends IOException {

    DamagedObjectException(String message) {
        super(message);
    }

    DamagedObjectException(String message, Throwable cause) {
        super(message, cause);
    }
}
