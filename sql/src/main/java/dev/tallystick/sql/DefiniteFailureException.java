package dev.tallystick.sql;

import org.jspecify.annotations.Nullable;

/** Nothing of the transaction happened, and nothing of it will. {@link #reason()} says whether repeating can help. */
public final class DefiniteFailureException extends TransactionException {

    private static final long serialVersionUID = 1L;

    /** Why nothing happened. */
    public enum Reason {
        /** It kept losing against concurrent transactions. Repeat later. */
        CONFLICT,
        /** A lock was not free in time. Repeat later. */
        LOCKED,
        /** The database cannot be reached, is shutting down, or lets a session only read. Repeat once it is back. */
        UNAVAILABLE,
        /** The database has no disk space left. Repeat once somebody has made room. */
        DISK_FULL,
        /** Too much is queued already. Repeat later. */
        OVERLOADED,
        /** The database refused the statement: a constraint, a type, a syntax error. Repeating it unchanged cannot help. */
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

    /** Whether the session could not write: its server was a standby, or was kept from writing. Another session may do. */
    public boolean isOfReadOnlySession() {
        return SqlStates.isReadOnly(this);
    }
}
