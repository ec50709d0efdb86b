package dev.tallystick.bench;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Makes the tables that a suite measures on. */
final class Setup {

    static void run(DataSource database, List<String> statements) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    /** Another database of the same server. */
    static PGSimpleDataSource in(DataSource server, String database) throws SQLException {
        PGSimpleDataSource given = server.unwrap(PGSimpleDataSource.class);
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(given.getUrl());
        source.setUser(given.getUser());
        source.setPassword(given.getPassword());
        source.setDatabaseName(database);
        return source;
    }

    /** The first row of a query, as numbers. */
    static long[] numbers(DataSource database, String query, int columns) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            long[] read = new long[columns];
            for (int i = 0; i < columns; i++) {
                read[i] = row.getLong(i + 1);
            }
            return read;
        }
    }

    private Setup() {}
}
