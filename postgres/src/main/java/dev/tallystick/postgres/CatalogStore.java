package dev.tallystick.postgres;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.sql.DataSource;

/** The server's information about itself and its databases. */
record CatalogStore(DataSource source) {

    private static final String FACTS = """
        select current_setting('data_directory'),
               current_setting('tally.settings', true),
               current_setting('fsync'),
               current_setting('full_page_writes'),
               current_setting('synchronous_commit')
        """;

    private static final String DATABASE = """
        select 1
        from pg_database
        where datname = ?
        """;

    /** {@code settings} is the fingerprint that the server was started with, or empty if we did not start it. */
    record Facts(Path dataDirectory, String settings, Map<String, String> durability) {

        Optional<NotDurableException> objection() {
            return durability.entrySet().stream()
                    .filter(setting -> setting.getValue().equals("off"))
                    .map(setting -> new NotDurableException(setting.getKey(), setting.getValue()))
                    .findFirst();
        }
    }

    Facts facts() throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(FACTS)) {
            row.next();
            Map<String, String> durability = new TreeMap<>();
            durability.put("fsync", row.getString(3));
            durability.put("full_page_writes", row.getString(4));
            durability.put("synchronous_commit", row.getString(5));
            String settings = row.getString(2);
            return new Facts(Path.of(row.getString(1)), settings == null ? "" : settings, durability);
        }
    }

    /** Creates a database unless it exists. {@code create database} takes no parameters, so we check the name. */
    void createDatabase(String name) throws SQLException {
        if (!name.matches("[a-z][a-z0-9_]{0,62}")) {
            throw new IllegalArgumentException("a database name must have 1 to 63 of a-z, 0-9 and _, got " + name);
        }
        try (Connection connection = source.getConnection();
                PreparedStatement look = connection.prepareStatement(DATABASE);
                Statement create = connection.createStatement()) {
            look.setString(1, name);
            try (ResultSet row = look.executeQuery()) {
                if (!row.next()) {
                    create.execute("create database \"" + name + "\"");
                }
            }
        }
    }
}
