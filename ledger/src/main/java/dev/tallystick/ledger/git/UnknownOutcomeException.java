package dev.tallystick.ledger.git;

import java.io.IOException;

/** Something failed while {@code main} was being moved: the commit may or may not be part of the ledger. */
public final class UnknownOutcomeException extends IOException {

    UnknownOutcomeException(IOException cause) {
        super(cause.getMessage() == null ? cause.toString() : cause.getMessage(), cause);
    }
}
