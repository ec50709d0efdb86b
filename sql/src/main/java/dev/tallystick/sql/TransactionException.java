package dev.tallystick.sql;

import org.jspecify.annotations.Nullable;

/** A transaction failed. The subtype says what is now true in the database, and so what the caller may do. */
public abstract sealed class TransactionException extends RuntimeException
        permits DefiniteFailureException, UnknownOutcomeException {

    private static final long serialVersionUID = 1L;

    TransactionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
