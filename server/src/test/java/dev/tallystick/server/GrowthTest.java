package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.IndexUseStore;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A server that was started on an empty database, and is full of work before Postgres has noticed. */
class GrowthTest {

    private static final int MANY = 150;

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

    @TempDir
    Path data;

    @Test
    void what_was_planned_while_the_tables_were_empty_does_not_walk_them_when_they_are_full() throws Exception {
        IndexUseStore indexes = new IndexUseStore(postgres.unpooled());
        try (ServerUnderTest server = ServerUnderTest.on(postgres, data)) {
            Http alice = server.member("alice", "member");
            server.admin().put("/v1/topics/alerts", "{}");
            alice.put("/v1/topics/alerts/subscribers/alice", "{}");
            indexes.freeze();

            IntStream.range(0, MANY).parallel().forEach(i -> {
                String job = alice.submit(
                                "job:" + i, "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"" + i + "\"}}")
                        .text("job_id");
                alice.post(
                        "/v1/messages", "{\"to\":\"topic:alerts\",\"message\":" + i + "}", "Idempotency-Key", "m:" + i);
                alice.post("/v1/deliveries/lease", "{\"inbox\":\"member:alice\"}");
                alice.post("/v1/keys/k:" + i + "/reserve", "{\"fingerprint\":\"" + "0".repeat(64) + "\"}");
                assertThat(alice.get("/v1/jobs/" + job + "/result?wait=30").status())
                        .isEqualTo(200);
            });
        }

        assertThat(indexes.walkedPrimaryKeys()).isEmpty();
    }
}
