package dev.tallystick.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** One-line SQL statements for tests. */
final class Sql {

    static void run(DataSource source, String statement) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement run = connection.createStatement()) {
            run.execute(statement);
        }
    }

    static String show(DataSource source, String setting) throws SQLException {
        return strings(source, "show " + setting).getFirst();
    }

    static List<String> strings(DataSource source, String query) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement run = connection.createStatement();
                ResultSet rows = run.executeQuery(query)) {
            List<String> all = new ArrayList<>();
            while (rows.next()) {
                all.add(rows.getString(1));
            }
            return all;
        }
    }

    private Sql() {}
}
