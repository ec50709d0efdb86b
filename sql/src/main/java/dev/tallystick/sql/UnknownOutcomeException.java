package dev.tallystick.sql;

import org.jspecify.annotations.Nullable;

/**
 * The transaction may have committed, and may not have: COMMIT was sent and no answer came. Repeat the same request under the
 * same key; whoever repeats it under a new one may do the work twice.
 */
public final class UnknownOutcomeException extends TransactionException {

    private static final long serialVersionUID = 1L;

    public UnknownOutcomeException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
