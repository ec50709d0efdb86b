package dev.tallystick.ledger;

import java.io.IOException;

/** {@code refs/heads/main} exists and names nothing. Call somebody: guessing here would lose acknowledged transactions. */
public final class DamagedRefException extends IOException {

    DamagedRefException(String message) {
        super(message);
    }
}
