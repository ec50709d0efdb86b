package dev.tallystick.ledger.git;

import java.io.IOException;

/** This directory cannot be used as a ledger; the message says why. Repeating will not help. */
public final class NotALedgerException extends IOException {

    public NotALedgerException(String message) {
        super(message);
    }
}
