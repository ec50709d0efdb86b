package dev.tallystick.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.cli.Run;
import dev.tallystick.server.ServerSettings;
import dev.tallystick.server.TallyServer;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** One role creates the tables, another runs the server on them. */
class SchemaCommandTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    @TempDir
    Path data;

    @Test
    void a_server_whose_role_may_only_read_and_write_does_a_job_in_a_schema_of_another_name() throws Exception {
        Run migrated = Run.tally("schema", "migrate", "--schema", "jobs", "--postgres", postgres.url());
        assertThat(migrated.exitCode()).as(migrated.err()).isZero();
        assertThat(migrated.out()).contains("keys 0001-", "engine 0001-", "broker 0001-", "server 0001-");
        String restricted = postgres.urlWithDataRights("jobs");

        Run checked = Run.tally(Map.of("TALLY_SCHEMA", "jobs"), "schema", "check", "--postgres", restricted);
        assertThat(checked.out()).contains("up to date");
        ServerSettings settings = ServerSettings.of(data, Map.of("TALLY_SCHEMA", "jobs"))
                .at(ServerSettings.LOOPBACK, 0)
                .on(restricted)
                .withSamples(true);
        try (TallyServer server = TallyServer.start(settings)) {
            Run submitted = Run.tally(
                    Map.of(
                            "TALLY_SERVER",
                            server.address().toString(),
                            "TALLY_TOKEN",
                            Files.readString(server.adminToken()).strip()),
                    "submit",
                    "sample.order",
                    "--input",
                    "{\"order\":\"1\"}",
                    "--key",
                    "order:1",
                    "--wait");
            assertThat(submitted.exitCode()).as(submitted.err()).isZero();
        }

        assertThat(schemas()).containsExactly("jobs");
    }

    @Test
    void a_server_whose_role_may_not_create_what_is_missing_says_what_to_run() throws Exception {
        String restricted = postgres.urlWithDataRights("public");

        Run server = Run.tally("server", "--port", "0", "--data", data.toString(), "--postgres", restricted);
        Run check = Run.tally("schema", "check", "--json", "--postgres", restricted);

        assertThat(server.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(server.err()).contains("run 'tally schema migrate' as a role that may");
        assertThat(check.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(check.out()).contains("\"missing\":[\"keys 0001-key-ledger\"");
    }

    @Test
    void the_printed_sql_makes_what_migrating_makes() throws Exception {
        execute(Run.tally("schema", "print", "--schema", "by_hand").out());
        Run.tally("schema", "migrate", "--schema", "by_us", "--postgres", postgres.url());

        assertThat(columns("by_hand")).isNotEmpty().isEqualTo(columns("by_us"));
        assertThat(Run.tally("schema", "check", "--schema", "by_hand", "--postgres", postgres.url())
                        .exitCode())
                .isZero();
        assertThat(Run.tally("schema", "print", "--schema", "by_hand", "--postgres", postgres.url())
                        .out())
                .isBlank();
    }

    @Test
    void an_absent_database_and_an_invalid_name_are_distinguished() {
        Run absent =
                Run.tally("schema", "check", "--postgres", "jdbc:postgresql://127.0.0.1:1/x?user=u&password=geheim");
        Run misnamed = Run.tally("schema", "print", "--schema", "No Name");
        Run misdirected = Run.tally("schema", "check", "--postgres", "postgres://u:geheim@127.0.0.1/x");

        assertThat(absent.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(misnamed.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(misdirected.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(absent.err() + misdirected.err()).doesNotContain("geheim");
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = postgres.unpooled().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<String> schemas() throws SQLException {
        return query("""
                select distinct table_schema
                from information_schema.tables
                where table_schema not in ('pg_catalog', 'information_schema')
                """);
    }

    private static List<String> columns(String schema) throws SQLException {
        return query("""
                select concat_ws(' ', table_name, column_name, data_type, is_nullable)
                from information_schema.columns
                where table_schema = '%s'
                order by 1
                """.formatted(schema));
    }

    private static List<String> query(String sql) throws SQLException {
        List<String> found = new ArrayList<>();
        try (Connection connection = postgres.unpooled().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                found.add(rows.getString(1));
            }
        }
        return found;
    }
}
