package dev.tallystick.sql;

import dev.tallystick.sql.DefiniteFailureException.Reason;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.postgresql.util.PSQLException;

/** The only place that interprets database errors. It reads codes, and nothing that depends on a language. */
final class SqlStates {

    private static final String SERIALIZATION_FAILURE = "40001";
    private static final String DEADLOCK_DETECTED = "40P01";
    private static final String STATEMENT_COMPLETION_UNKNOWN = "40003";
    static final String IN_FAILED_TRANSACTION = "25P02";
    private static final String DISK_FULL = "53100";
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final String INSUFFICIENT_PRIVILEGE = "42501";
    private static final String QUERY_CANCELED = "57014";
    private static final String READ_ONLY = "25006";

    /**
     * The session is read-only, or was terminated because it was idle or its transaction was too old. After a demotion or a
     * full disk, a server keeps old sessions in this state; new ones may work.
     */
    private static final Set<String> UNFIT_SESSION = Set.of(READ_ONLY, "25P03", "25P04");

    /** The longest chain of causes to follow, because it may be a cycle. */
    private static final int MAX_CAUSES = 20;

    /** Whether the same transaction may well succeed if it is run again. */
    static boolean mayRepeat(SQLException failure) {
        String state = stateOf(failure);
        return state.equals(SERIALIZATION_FAILURE) || state.equals(DEADLOCK_DETECTED);
    }

    static Reason reasonOf(SQLException failure) {
        String state = stateOf(failure);
        if (mayRepeat(failure)) {
            return Reason.CONFLICT;
        }
        if (state.equals(LOCK_NOT_AVAILABLE)) {
            return Reason.LOCKED;
        }
        if (state.equals(DISK_FULL)) {
            return Reason.DISK_FULL;
        }
        if (state.startsWith("53") || state.equals(QUERY_CANCELED)) {
            return Reason.OVERLOADED;
        }
        boolean lost = state.isEmpty()
                || state.startsWith("08")
                || state.startsWith("57")
                || state.startsWith("58")
                || UNFIT_SESSION.contains(state);
        return lost ? Reason.UNAVAILABLE : Reason.REFUSED;
    }

    /** Whether the session is at fault, and another one may work. */
    static boolean blamesSession(Throwable failure) {
        return isCausedBy(failure, UNFIT_SESSION);
    }

    static boolean isReadOnly(Throwable failure) {
        return isCausedBy(failure, Set.of(READ_ONLY));
    }

    private static boolean isCausedBy(Throwable failure, Set<String> states) {
        Throwable cause = failure;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++, cause = cause.getCause()) {
            if (cause instanceof SQLException sql && states.contains(stateOf(sql))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a failure of COMMIT itself proves that the transaction was rolled back. Only an error from the server does, in a
     * session that survives and has left the transaction: a session that is terminated may already have written its commit
     * record.
     */
    static boolean provesRollback(SQLException failureOfCommit, Connection connection) {
        String state = stateOf(failureOfCommit);
        if (state.equals(IN_FAILED_TRANSACTION)) {
            return true;
        }
        return failureOfCommit instanceof PSQLException failure
                && failure.getServerErrorMessage() != null
                && !state.equals(STATEMENT_COMPLETION_UNKNOWN)
                && livesOn(connection);
    }

    /** Whether our role lacks the permission. */
    static boolean isForbidden(Throwable failure) {
        return isCausedBy(failure, Set.of(INSUFFICIENT_PRIVILEGE));
    }

    private static boolean livesOn(Connection connection) {
        try {
            return !connection.isClosed()
                    && connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.OPEN;
        } catch (SQLException e) {
            return false;
        }
    }

    private static String stateOf(SQLException failure) {
        String state = failure.getSQLState();
        return state == null ? "" : state;
    }

    private SqlStates() {}
}
