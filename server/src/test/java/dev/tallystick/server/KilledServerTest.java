package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.model.EngineCrashPoint;
import dev.tallystick.server.http.Limits;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.ChildJvm;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A server on a Postgres that it shares with others is killed, and started again: its jobs continue at once. */
class KilledServerTest {

    private static final String JOB = "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"x\"}}";
    private static final String AT_WORK = "at work";

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

    private final Database database = Database.on(postgres.dataSource());

    @TempDir
    Path data;

    @TempDir
    Path others;

    /** Leases that outlive the test by far. */
    private static ServerSettings settings(String url, Path data) {
        ServerSettings settings = ServerUnderTest.settings(url, data);
        return settings.withEngine(settings.engine().lease(Duration.ofHours(1), Duration.ofMinutes(1)));
    }

    /** Never comes to the end of a step. Arguments: the JDBC URL, the directory. */
    static final class Stuck {

        public static void main(String[] arguments) {
            TallyServer server =
                    TallyServer.start(settings(arguments[0], Path.of(arguments[1])), Limits.DEFAULT, point -> {
                        if (point == EngineCrashPoint.DISPATCHED) {
                            System.out.println(AT_WORK);
                            LockSupport.park();
                        }
                    });
            new Http(server.address(), ServerUnderTest.adminToken(Path.of(arguments[1]))).submit("k", JOB);
            while (true) {
                LockSupport.park();
            }
        }

        private Stuck() {}
    }

    private ChildJvm stuck() {
        ChildJvm child = ChildJvm.of(Stuck.class).start(postgres.url(), data.toString());
        child.awaitLine(AT_WORK::equals);
        return child;
    }

    private TallyServer start(Path directory) {
        return TallyServer.start(settings(postgres.url(), directory));
    }

    private long leased() {
        return database.transact(
                "count",
                tx -> tx.first(
                                "select count(*) as n from tally.posting where owner is not null and visible_at > now()",
                                row -> row.getLong("n"))
                        .orElseThrow());
    }

    @Test
    void what_a_killed_server_was_doing_goes_on_as_soon_as_it_is_started_again() {
        try (ChildJvm child = stuck()) {
            child.kill();
        }
        try (TallyServer peer = start(others)) {
            assertThat(leased())
                    .as("leased, as far as %s can know", peer.address())
                    .isEqualTo(1);
        }

        try (TallyServer again = start(data)) {
            Http admin = new Http(again.address(), ServerUnderTest.adminToken(data));
            String job = admin.submit("k", JOB).text("job_id");
            assertThat(admin.get("/v1/jobs/" + job + "/result?wait=30").text("status"))
                    .isEqualTo("completed");
        }
    }

    @Test
    void a_server_that_is_only_frozen_keeps_what_it_has() {
        try (ChildJvm child = stuck()) {
            child.pause();
            try (TallyServer second = start(data)) {
                assertThat(leased())
                        .as("leased, as far as %s can know", second.address())
                        .isEqualTo(1);
            } finally {
                child.resume();
            }
        }
    }
}
