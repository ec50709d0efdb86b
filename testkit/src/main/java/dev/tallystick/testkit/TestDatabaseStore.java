package dev.tallystick.testkit;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Databases for a while. Their names are made by us, of letters, digits and underscores. */
record TestDatabaseStore(DataSource administration) {

    void create(String name) throws SQLException {
        execute("create database " + name);
    }

    void copy(String template, String name) throws SQLException {
        execute("create database " + name + " template " + template);
    }

    /**
     * Ends the sessions that a test has left behind, and lets nobody in any more. The files go with the server: file systems may
     * be slow to make new ones where some hundreds were deleted a moment ago, and each test makes as many.
     */
    void shut(String name) throws SQLException {
        execute("alter database " + name + " allow_connections false");
        execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = '" + name + "'");
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = administration.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
