package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.sql.Database;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Whether what was accepted together is still together, for operators and their dashboards. */
class OrphansApiTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

    @TempDir
    Path data;

    @Test
    void orphans_are_looked_for_on_demand_and_counted() {
        try (ServerUnderTest server = ServerUnderTest.on(postgres, data)) {
            Http admin = server.admin();
            String message = admin.post(
                            "/v1/messages", "{\"to\":\"member:admin\",\"message\":\"x\"}", "Idempotency-Key", "k")
                    .text("message_id");
            assertThat(admin.get("/v1/orphans").body()).isEqualTo("{\"total\":0,\"kinds\":[]}");
            assertThat(admin.get("/metrics").body()).contains("tally_orphans 0.0");

            Database.on(postgres.dataSource())
                    .transact(
                            "meddle",
                            tx -> tx.update("delete from tally.delivery where message_id = ?::uuid", message));

            assertThat(admin.get("/v1/orphans").body())
                    .isEqualTo("{\"total\":1,\"kinds\":[{\"kind\":\"message_without_delivery\",\"count\":1,"
                            + "\"examples\":[\"" + message + "\"]}]}");
            assertThat(admin.get("/metrics").body()).contains("tally_orphans 1.0");
        }
    }
}
