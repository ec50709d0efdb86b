package dev.tallystick.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.sql.DefiniteFailureException.Reason;
import dev.tallystick.testkit.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

    @ParameterizedTest
    @CsvSource({
        "40001, CONFLICT",
        "40P01, CONFLICT",
        "55P03, LOCKED",
        "53100, DISK_FULL",
        "53300, OVERLOADED",
        "57014, OVERLOADED",
        ", UNAVAILABLE",
        "08006, UNAVAILABLE",
        "57P01, UNAVAILABLE",
        "58030, UNAVAILABLE",
        "25006, UNAVAILABLE",
        "25P03, UNAVAILABLE",
        "25P04, UNAVAILABLE",
        "23505, REFUSED",
        "25P02, REFUSED",
        "42501, REFUSED",
    })
    void a_code_says_what_a_caller_can_do(@Nullable String state, Reason reason) {
        assertThat(SqlStates.reasonOf(new SQLException("planted", state))).isEqualTo(reason);
    }

    @Test
    void a_session_is_blamed_for_what_only_another_one_can_do() {
        for (String state : List.of("25006", "25P03", "25P04")) {
            assertThat(SqlStates.blamesSession(wrapped(state))).as(state).isTrue();
        }
        assertThat(SqlStates.blamesSession(wrapped("23505"))).isFalse();
        assertThat(SqlStates.isReadOnly(wrapped("25006"))).isTrue();
        assertThat(SqlStates.isReadOnly(wrapped("25P03"))).isFalse();
        assertThat(SqlStates.isForbidden(wrapped("42501"))).isTrue();
        assertThat(SqlStates.isForbidden(wrapped("25006"))).isFalse();
    }

    @Test
    void causes_that_go_in_a_circle_come_to_an_end() {
        RuntimeException first = new IllegalStateException("one");
        RuntimeException second = new IllegalStateException("other", first);
        first.initCause(second);

        assertThat(SqlStates.blamesSession(first)).isFalse();
    }

    @Test
    void only_an_error_of_the_server_proves_that_a_commit_was_rolled_back() throws SQLException {
        try (Connection connection = postgres.unpooled().getConnection()) {
            assertThat(SqlStates.provesRollback(new SQLException("planted", "23505"), connection))
                    .isFalse();
            assertThat(SqlStates.provesRollback(new SQLException("planted", "25P02"), connection))
                    .isTrue();
            SQLException unknown =
                    new PSQLException(new ServerErrorMessage("SERROR\0VERROR\0C40003\0Mcompletion unknown\0"));
            assertThat(SqlStates.provesRollback(unknown, connection)).isFalse();
        }
    }

    private static RuntimeException wrapped(String state) {
        return new IllegalStateException(new RuntimeException(new SQLException("planted", state)));
    }
}
