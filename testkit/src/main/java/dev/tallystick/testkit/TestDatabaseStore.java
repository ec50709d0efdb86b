package dev.tallystick.testkit;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Creates and drops databases. We generate their names from letters, digits and underscores. */
record TestDatabaseStore(DataSource administration) {

    void create(String name) throws SQLException {
        execute("create database " + name);
    }

    void copy(String template, String name) throws SQLException {
        execute("create database " + name + " template " + template);
    }

    /** Ends the sessions that a test has left behind. */
    void drop(String name) throws SQLException {
        execute("drop database " + name + " with (force)");
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = administration.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
