package dev.tallystick.ledger.git;

import java.io.IOException;

/** An object on disk does not match its ID. Repeating will not help: restore it from a clone, then verify. */
public final class DamagedObjectException extends IOException {

    public DamagedObjectException(String message) {
        super(message);
    }

    public DamagedObjectException(String message, Throwable cause) {
        super(message, cause);
    }
}
