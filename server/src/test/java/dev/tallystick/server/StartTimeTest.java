package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that may not begin before a moment. The engine looks for work once an hour, unless something wakes it. */
class StartTimeTest {

    private static final Instant FAR = Instant.parse("2099-01-01T00:00:00Z");

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    Path data;

    /**
     * One job is due without the engine knowing. If accepting a job that begins in 2099 woke the engine, it would find that one
     * long before the moment at which it really has to look.
     */
    @Test
    void a_job_with_a_far_start_time_wakes_nothing_when_it_is_accepted() throws SQLException {
        ServerSettings settings = ServerUnderTest.settings(postgres.url(), data);
        try (TallyServer server =
                TallyServer.start(settings.withEngine(settings.engine().poll(Duration.ofHours(1))))) {
            Http admin = new Http(server.address(), ServerUnderTest.adminToken(data));
            UUID unnoticed = submit(admin, "unnoticed", FAR);
            makeDue(unnoticed);

            for (int i = 0; i < 5; i++) {
                submit(admin, "far-" + i, FAR);
            }
            Instant soon = databaseTime().plusSeconds(1);
            UUID due = submit(admin, "due", soon);

            Instant noticed = Eventually.value(
                    "the engine has looked", () -> closedAt(unnoticed), closed -> !closed.equals(Instant.MAX));
            assertThat(noticed).isAfterOrEqualTo(soon);
            Eventually.value("it has run", () -> closedAt(due), closed -> !closed.equals(Instant.MAX));
        }
    }

    private static UUID submit(Http admin, String key, Instant notBefore) {
        return UUID.fromString(admin.submit(
                        key,
                        "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"1\"},\"not_before\":\"" + notBefore
                                + "\"}")
                .text("job_id"));
    }

    private static void makeDue(UUID job) throws SQLException {
        try (Connection connection = postgres.dataSource().getConnection();
                PreparedStatement update =
                        connection.prepareStatement("update tally.posting set visible_at = now() where job_id = ?")) {
            update.setObject(1, job);
            assertThat(update.executeUpdate()).isEqualTo(1);
        }
    }

    private static Instant databaseTime() throws SQLException {
        return time("select now()", null);
    }

    private static Instant closedAt(UUID job) throws SQLException {
        return time("select closed_at from tally.job where id = ?", job);
    }

    private static Instant time(String query, @Nullable UUID job) throws SQLException {
        try (Connection connection = postgres.dataSource().getConnection();
                PreparedStatement statement = connection.prepareStatement(query)) {
            if (job != null) {
                statement.setObject(1, job);
            }
            try (ResultSet result = statement.executeQuery()) {
                result.next();
                Timestamp time = result.getTimestamp(1);
                return time == null ? Instant.MAX : time.toInstant();
            }
        }
    }
}
