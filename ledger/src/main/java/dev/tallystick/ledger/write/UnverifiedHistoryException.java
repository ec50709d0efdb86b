package dev.tallystick.ledger.write;

import java.io.IOException;

/**
 * The history of {@code main} does not verify, so nothing may be signed on top of it. Nothing was written. Repeating does not
 * help: run {@code verify}, find out who moved {@code main}, and move it back to the newest commit that verifies.
 */
public final class UnverifiedHistoryException extends IOException {

    UnverifiedHistoryException(String detail) {
        super("refusing to build on a history that does not verify: " + detail);
    }
}
