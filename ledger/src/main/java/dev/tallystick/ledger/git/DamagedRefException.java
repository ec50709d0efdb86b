package dev.tallystick.ledger.git;

import java.io.IOException;

/** {@code refs/heads/main} exists without a valid target. Needs an operator: a guess could lose acknowledged transactions. */
public final class DamagedRefException extends IOException {

    public DamagedRefException(String message) {
        super(message);
    }
}
