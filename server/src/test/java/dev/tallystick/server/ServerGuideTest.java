package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.client.TallyClient;
import dev.tallystick.client.Worker;
import dev.tallystick.client.mint.KeyMint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.testkit.TestPostgres;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The Java of the guide about servers. */
class ServerGuideTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static ServerUnderTest server;

    @BeforeAll
    static void start() {
        server = ServerUnderTest.on(postgres, data);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void a_job_is_submitted_under_a_key_that_is_on_disk() {
        URI address = server.server().address();
        String token = server.admin().token();
        Path file = data.resolve("mint");
        Json input = Json.parse("{\"order\":\"42\"}");

        TallyClient client = new TallyClient(address, token);
        TallyClient.Result result;
        try (KeyMint mint = KeyMint.open(file, "shop-1", new SecureRandom())) {
            TallyClient.Submitted order = client.submit(TallyClient.NewJob.of("sample.order", input), mint, "order 42");
            result = client.result(order.job(), Duration.ofSeconds(30));
        }

        assertThat(result.status()).isEqualTo("completed");
    }

    @Test
    void a_worker_greets() {
        TallyClient client =
                new TallyClient(server.server().address(), server.admin().token());
        Worker.Handler handler = work -> Json.of("hello " + work.input().canonical());
        Worker worker = Worker.start(client, "sample.greetings", 8, handler);
        try (worker) {
            TallyClient.Submitted job = client.submit(
                    TallyClient.NewJob.of("sample.greeting", Json.of("ann")), new IdempotencyKey("greet"));

            assertThat(client.result(job.job(), Duration.ofSeconds(30)).status())
                    .isEqualTo("completed");
        }
    }
}
