package dev.tallystick.daemon.storage;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The number of commits that a database carries. One method is one statement; the caller owns the transaction. */
final class CommitStore implements AutoCloseable {

    private static final String IS_COUNTED = "select count(*) from sqlite_schema where name = 'commits'";
    private static final String NUMBER = "select number from commits";
    private static final String CHANGES = "select total_changes()";
    private static final String SET = "update commits set number = ?";

    private final PreparedStatement changes;
    private final PreparedStatement set;

    CommitStore(Connection connection) throws SQLException {
        this.changes = connection.prepareStatement(CHANGES);
        this.set = connection.prepareStatement(SET);
    }

    /** 0 in a database from before its commits were counted. */
    static long number(Connection connection) throws SQLException {
        return first(connection, IS_COUNTED) == 0 ? 0 : first(connection, NUMBER);
    }

    private static long first(Connection connection, String query) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query);
                ResultSet result = statement.executeQuery()) {
            return result.next() ? result.getLong(1) : 0;
        }
    }

    /** How many rows this connection has changed since it was opened. */
    long changes() throws SQLException {
        try (ResultSet result = changes.executeQuery()) {
            return result.next() ? result.getLong(1) : 0;
        }
    }

    void set(long number) throws SQLException {
        set.setLong(1, number);
        int unused = set.executeUpdate();
    }

    @Override
    public void close() throws SQLException {
        changes.close();
        set.close();
    }
}
