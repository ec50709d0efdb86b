package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.Limiter;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;

/** A member that asks for too much is told when to come again. */
class BudgetTest {

    private static final Limiter.Budget TWO = new Limiter.Budget(2, Duration.ofDays(1));

    private static final String ORDER = "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"a\"}}";

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    @TempDir
    Path data;

    @Test
    void over_the_budget_there_is_a_429_while_repeats_of_what_was_accepted_are_answered() {
        budgetIsKept(ServerUnderTest.settings(postgres.url(), data).withBudget(TWO));
    }

    @Test
    void the_budget_is_kept_in_redis_if_that_is_wanted() throws IOException {
        int port = freePort();
        RedisServer redis = RedisServer.newRedisServer()
                .bind("127.0.0.1")
                .port(port)
                .setting("save \"\"")
                .build();
        redis.start();
        try {
            ServerSettings settings = ServerSettings.of(data, Map.of("TALLY_LIMITER", "redis://127.0.0.1:" + port));
            budgetIsKept(ServerUnderTest.settings(postgres.url(), data)
                    .withBudget(TWO)
                    .withLimiter(settings.limiter()));
        } finally {
            redis.stop();
        }
    }

    private void budgetIsKept(ServerSettings settings) {
        try (TallyServer server = TallyServer.start(settings, Limits.DEFAULT, CrashPoints.NONE)) {
            Http admin = new Http(server.address(), ServerUnderTest.adminToken(data));
            Http alice = ServerUnderTest.memberOf(admin, "alice", "member");
            assertThat(alice.submit("k:1", ORDER).status()).isEqualTo(201);
            assertThat(alice.submit("k:2", ORDER).status()).isEqualTo(201);

            Http.Reply refused = alice.submit("k:3", ORDER);

            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.code()).isEqualTo("over_limit");
            assertThat(refused.header("Retry-After")).matches("[1-9][0-9]*");
            assertThat(alice.submit("k:1", ORDER).status()).isEqualTo(200);
            assertThat(alice.submit("k:3", ORDER).status()).isEqualTo(429);
            Http bob = ServerUnderTest.memberOf(admin, "bob", "member");
            assertThat(bob.submit("k:3", ORDER).status()).isEqualTo(201);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
