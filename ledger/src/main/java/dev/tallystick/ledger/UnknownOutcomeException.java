package dev.tallystick.ledger;

import java.io.IOException;

/** {@code main} was being moved when something failed: the commit may be part of the ledger or not. */
final class UnknownOutcomeException extends IOException {

    UnknownOutcomeException(IOException cause) {
        super(cause.getMessage() == null ? cause.toString() : cause.getMessage(), cause);
    }
}
