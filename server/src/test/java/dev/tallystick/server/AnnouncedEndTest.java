package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.model.BrokerCrashPoint;
import dev.tallystick.core.Json;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.ChildJvm;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.HaltAt;
import dev.tallystick.testkit.TestPostgres;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server that dies between the end of a job and the record that everybody was told of it. */
class AnnouncedEndTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

    @TempDir
    Path data;

    private final Database database = Database.on(postgres.dataSource());
    private final Receiver receiver = new Receiver();
    private ServerUnderTest server;

    @BeforeEach
    void start() {
        server = ServerUnderTest.on(postgres, data);
    }

    @AfterEach
    void stop() {
        server.close();
        receiver.close();
    }

    /** Dies with an end taken and announced but not committed, and with a call made but not recorded. */
    @ParameterizedTest
    @EnumSource(
            value = BrokerCrashPoint.class,
            names = {"ANNOUNCED", "WEBHOOK_CALLED"})
    void an_end_is_told_although_the_server_dies_after_the_job_has_ended(BrokerCrashPoint point) throws Exception {
        Http.Reply registered = server.admin()
                .post("/v1/webhooks", "{\"source\":\"workflow:sample.order\",\"url\":\"" + receiver.url() + "\"}");
        assertThat(registered.status()).isEqualTo(201);
        server.close();
        String job;
        try (ChildJvm child =
                ChildJvm.of(KilledServer.class).haltingAt(point, 1).start(postgres.url(), data.toString(), "0")) {
            String ready = child.awaitLine(line -> line.startsWith("ready"));
            Http http = new Http(URI.create(ready.substring("ready ".length())), ServerUnderTest.adminToken(data));
            job = http.submit("k", "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"42\"}}")
                    .text("job_id");
            assertThat(child.awaitExit()).isEqualTo(HaltAt.EXIT_CODE);
        }
        List<Receiver.Called> calls = new ArrayList<>();
        if (point == BrokerCrashPoint.WEBHOOK_CALLED) {
            calls.add(receiver.next());
            database.transact("make it due", tx -> tx.update("update tally.delivery set visible_at = now()"));
        }
        assertThat(receiver.wasCalledAgain()).isFalse();

        server.restart();

        calls.add(receiver.next());
        assertThat(calls)
                .extracting(Receiver.Called::messageId)
                .containsOnly(calls.getFirst().messageId());
        assertThat(((Json.ObjectValue) calls.getLast().at("message")).members()).containsEntry("job_id", Json.of(job));
        Eventually.holds("the call is recorded", () -> count("tally.delivery where done_at is null") == 0);
        assertThat(count("tally.message where key is null")).isEqualTo(1);
        assertThat(receiver.wasCalledAgain()).isFalse();
    }

    private long count(String what) {
        return database.transact(
                "count",
                tx -> tx.first("select count(*) as n from " + what, row -> row.getLong("n"))
                        .orElseThrow());
    }
}
