package dev.tallystick.sql;

import org.jspecify.annotations.Nullable;

/** Nothing of the transaction happened or will happen. {@link #reason()} says whether a retry can help. */
public final class DefiniteFailureException extends TransactionException {

    private static final long serialVersionUID = 1L;

    /** Why nothing happened. */
    public enum Reason {
        /** It kept losing against concurrent transactions. Retry later. */
        CONFLICT,
        /** A lock was not free in time. Retry later. */
        LOCKED,
        /** The database is unreachable, shutting down or read-only. Retry once it is back. */
        UNAVAILABLE,
        /** The database is out of disk space. Retry once an operator has freed some. */
        DISK_FULL,
        /** The queue is full. Retry later. */
        OVERLOADED,
        /** The database refused the statement: a constraint, a type, a syntax error. An unchanged retry cannot help. */
        REFUSED
    }

    private final Reason reason;

    public DefiniteFailureException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }

    /** Whether the session was read-only, for example on a standby. Another session may work. */
    public boolean isOfReadOnlySession() {
        return SqlStates.isReadOnly(this);
    }
}
