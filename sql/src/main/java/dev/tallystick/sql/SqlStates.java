package dev.tallystick.sql;

import dev.tallystick.sql.DefiniteFailureException.Reason;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** The one place that interprets what the database reports. It reads codes and severities, never message texts. */
final class SqlStates {

    private static final String SERIALIZATION_FAILURE = "40001";
    private static final String DEADLOCK_DETECTED = "40P01";
    private static final String STATEMENT_COMPLETION_UNKNOWN = "40003";
    static final String IN_FAILED_TRANSACTION = "25P02";
    private static final String DISK_FULL = "53100";
    private static final String LOCK_NOT_AVAILABLE = "55P03";

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
        if (state.startsWith("53")) {
            return Reason.OVERLOADED;
        }
        boolean lost = state.isEmpty() || state.startsWith("08") || state.startsWith("57") || state.startsWith("58");
        return lost ? Reason.UNAVAILABLE : Reason.REFUSED;
    }

    /**
     * Whether a failure of COMMIT itself proves that the transaction was rolled back. Only the server's own word, given as an
     * ordinary error, does: a session that is torn down (FATAL) may have written its commit record already.
     */
    static boolean provesRollback(SQLException failureOfCommit) {
        String state = stateOf(failureOfCommit);
        if (state.equals(IN_FAILED_TRANSACTION)) {
            return true;
        }
        if (state.isEmpty() || state.startsWith("08") || state.equals(STATEMENT_COMPLETION_UNKNOWN)) {
            return false;
        }
        return failureOfCommit instanceof PSQLException failure && isOrdinaryError(failure.getServerErrorMessage());
    }

    private static boolean isOrdinaryError(@Nullable ServerErrorMessage answer) {
        return answer != null && "ERROR".equals(answer.getSeverity());
    }

    private static String stateOf(SQLException failure) {
        String state = failure.getSQLState();
        return state == null ? "" : state;
    }

    private SqlStates() {}
}
