package dev.tallystick.testkit;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * A role that may read and write the data of a schema, and create nothing. There is one per server, and it is deleted with it.
 */
record DataRightsStore(DataSource administration) {

    static final String ROLE = "data_rights_only";

    void grant(String schema) throws SQLException {
        try (Connection connection = administration.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("""
                    do $$
                    begin
                        create role %2$s;
                    exception when duplicate_object or unique_violation then null;
                    end $$;
                    grant usage on schema "%1$s" to %2$s;
                    grant select, insert, update, delete on all tables in schema "%1$s" to %2$s;
                    grant usage on all sequences in schema "%1$s" to %2$s;
                    """.formatted(schema, ROLE));
        }
    }
}
