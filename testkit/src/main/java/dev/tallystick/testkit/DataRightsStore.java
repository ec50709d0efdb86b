package dev.tallystick.testkit;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A role that may read and write what is in a schema, and create nothing. One for the whole server, which goes with it. */
record DataRightsStore(DataSource administration) {

    static final String ROLE = "data_rights_only";

    private static final String CREATE = """
            do $$
            begin
                create role %s;
            exception when duplicate_object or unique_violation then null;
            end $$
            """.formatted(ROLE);

    private static final String GRANT = """
            grant usage on schema "%1$s" to %2$s;
            grant select, insert, update, delete on all tables in schema "%1$s" to %2$s;
            grant usage on all sequences in schema "%1$s" to %2$s;
            """;

    void grant(String schema) throws SQLException {
        try (Connection connection = administration.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(CREATE);
            statement.execute(GRANT.formatted(schema, ROLE));
        }
    }
}
