package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.CommitFate;
import dev.tallystick.testkit.CommitPolicy;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TcpProxy;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What a server says when its Postgres is full, silent, or loses replies. */
class SickDatabaseTest {

    private static final String JOB = "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"x\"}}";

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

    @TempDir
    Path data;

    @Test
    void a_full_disk_is_named_turns_readiness_red_and_passes_by_itself() throws SQLException {
        try (ServerUnderTest server = ServerUnderTest.on(postgres, data)) {
            Http admin = server.admin();
            assertThat(ready(server).status()).isEqualTo(200);
            execute("""
                    create function public.no_space() returns trigger language plpgsql as
                    $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
                    create function public.no_room() returns event_trigger language plpgsql as
                    $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
                    create trigger full_disk before insert on tally.key for each row execute function public.no_space();
                    create event trigger full_disk on ddl_command_start when tag in ('CREATE TABLE', 'CREATE TABLE AS')
                    execute function public.no_room()
                    """);

            Http.Reply refused = admin.submit("k", JOB);
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.code()).isEqualTo("database_full");
            assertThat(refused.header("Retry-After")).isNotEmpty();
            for (int i = 0; i < 3; i++) {
                assertThat(ready(server).code()).isEqualTo("database_full");
            }
            assertThat(admin.get("/v1/jobs").status()).as("reads still work").isEqualTo(200);

            execute("drop event trigger full_disk; drop trigger full_disk on tally.key");
            Eventually.holds("it is ready again", () -> ready(server).status() == 200);
            assertThat(admin.submit("k", JOB).status()).isEqualTo(201);
        }
    }

    @Test
    void readiness_does_not_wait_for_a_database_that_is_silent() {
        try (TcpProxy proxy = postgres.proxy();
                TallyServer server = TallyServer.start(ServerUnderTest.settings(postgres.url(proxy), data))) {
            Http http = new Http(server.address(), "");
            assertThat(http.get("/health/ready").status()).isEqualTo(200);

            proxy.blackHole();
            assertThat(http.get("/health/ready").code()).isEqualTo("database_unavailable");
            assertThat(http.get("/health/ready").code()).isEqualTo("database_unavailable");

            proxy.pass();
            Eventually.holds(
                    "it is ready again", () -> http.get("/health/ready").status() == 200);
        }
    }

    @Test
    void what_only_reads_has_no_unknown_outcome() {
        try (TcpProxy proxy = postgres.proxy();
                TallyServer server = TallyServer.start(ServerUnderTest.settings(postgres.url(proxy), data))) {
            Http admin = new Http(server.address(), ServerUnderTest.adminToken(data));
            assertThat(admin.get("/v1/jobs").status()).isEqualTo(200);

            proxy.onCommit(CommitPolicy.always(CommitFate.LOSE_REPLY));
            Http.Reply reply = admin.get("/v1/topics");
            proxy.onCommit(CommitPolicy.always(CommitFate.FORWARD));

            assertThat(reply.code()).isEqualTo("database_unavailable");
        }
    }

    private static Http.Reply ready(ServerUnderTest server) {
        return server.anonymous().get("/health/ready");
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = postgres.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
