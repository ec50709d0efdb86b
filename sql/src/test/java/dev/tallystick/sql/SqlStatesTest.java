package dev.tallystick.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

class SqlStatesTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perClass();

    /** The message of a server that speaks German. */
    private static SQLException german() {
        return new PSQLException(new ServerErrorMessage("SFEHLER\0VERROR\0C23505\0Mdoppelter Schlüsselwert\0"));
    }

    @Test
    void a_refused_commit_is_recognised_in_every_language() throws SQLException {
        try (Connection connection = postgres.unpooled().getConnection()) {
            assertThat(SqlStates.provesRollback(german(), connection)).isTrue();
        }
    }

    @Test
    void an_error_from_a_session_that_is_gone_or_still_in_its_transaction_proves_nothing() throws SQLException {
        Connection connection = postgres.unpooled().getConnection();
        try (connection;
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("select 1");
            assertThat(SqlStates.provesRollback(german(), connection)).isFalse();
        }
        assertThat(SqlStates.provesRollback(german(), connection)).isFalse();
    }
}
