package dev.tallystick.ledger;

import java.io.IOException;

/** This directory cannot serve as a ledger, and why. Repeating will not help. */
public final class NotALedgerException extends IOException {

    NotALedgerException(String message) {
        super(message);
    }
}
