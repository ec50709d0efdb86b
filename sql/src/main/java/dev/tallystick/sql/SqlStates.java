package dev.tallystick.sql;

import dev.tallystick.sql.DefiniteFailureException.Reason;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.postgresql.util.PSQLException;

/** The one place that interprets what the database reports. It reads codes, and nothing that depends on a language. */
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
     * A session that cannot write, or that was ended because it was idle or its transaction was too old. A server that was
     * demoted, or whose disk was full, keeps its old sessions like that; new ones may well do.
     */
    private static final Set<String> UNFIT_SESSION = Set.of(READ_ONLY, "25P03", "25P04");

    /** No chain of causes is longer, be it a ring. */
    private static final int MAX_CAUSES = 20;

    /** Whether running the same transaction once more may well succeed. */
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

    /** Whether the session is to blame, and another one may do. */
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
     * Whether a failure of COMMIT itself proves that the transaction was rolled back. Only the server's own word does, from a
     * session that lives on and is no longer in the transaction: one that is torn down may have written its commit record already.
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

    /** Whether the role that we connect as may not do that. */
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
