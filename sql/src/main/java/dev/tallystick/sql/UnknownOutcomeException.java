package dev.tallystick.sql;

import org.jspecify.annotations.Nullable;

/**
 * The transaction may or may not have committed: COMMIT was sent and no reply came. Repeat the same request under the same
 * key; a new key may do the work twice.
 */
public final class UnknownOutcomeException extends TransactionException {

    private static final long serialVersionUID = 1L;

    public UnknownOutcomeException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
