package dev.tallystick.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * A connection while we use it: auto-commit as we need it, read-write, outside of any transaction, and with a read timeout,
 * regardless of the pool's settings. We return it as we found it. Single-threaded.
 */
final class Session implements AutoCloseable {

    private final Connection connection;
    private final boolean autoCommitBefore;
    private final int silenceBefore;

    private Session(Connection connection, boolean autoCommitBefore, int silenceBefore) {
        this.connection = connection;
        this.autoCommitBefore = autoCommitBefore;
        this.silenceBefore = silenceBefore;
    }

    /** None of this contacts the server, unless the pool has left a transaction open. */
    static Session begin(Connection connection, boolean autoCommit, Duration silence) throws SQLException {
        boolean autoCommitBefore = connection.getAutoCommit();
        int silenceBefore = connection.getNetworkTimeout();
        connection.setNetworkTimeout(Runnable::run, Math.toIntExact(silence.toMillis()));
        if (isInTransaction(connection) && !autoCommitBefore) {
            connection.rollback();
        }
        if (connection.isReadOnly()) {
            connection.setReadOnly(false);
        }
        connection.setAutoCommit(autoCommit);
        return new Session(connection, autoCommitBefore, silenceBefore);
    }

    Connection connection() {
        return connection;
    }

    /** Rolls back any open transaction, and returns the connection. */
    @Override
    public void close() {
        try {
            if (!connection.isClosed()) {
                restore();
            }
        } catch (SQLException | RuntimeException | Error e) {
            Connections.discard(connection);
        }
        Connections.giveBack(connection);
    }

    /** Rolls back any open transaction, and sets auto-commit: turning it on would commit the transaction. */
    void setAutoCommit(boolean autoCommit) throws SQLException {
        if (!connection.getAutoCommit() && isInTransaction(connection)) {
            connection.rollback();
        }
        connection.setAutoCommit(autoCommit);
    }

    private void restore() throws SQLException {
        setAutoCommit(autoCommitBefore);
        connection.setNetworkTimeout(Runnable::run, silenceBefore);
    }

    private static boolean isInTransaction(Connection connection) throws SQLException {
        return connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE;
    }
}
