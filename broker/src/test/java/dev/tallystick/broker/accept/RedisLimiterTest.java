package dev.tallystick.broker.accept;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.broker.LimiterContract;
import dev.tallystick.broker.model.TestBroker;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.testkit.Eventually;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;
import redis.embedded.RedisServer;

class RedisLimiterTest extends LimiterContract {

    private static final Fingerprint ORDER = TestBroker.job("k", "x").fingerprint();

    private static int port;
    private static RedisServer server;

    private final RedisClient redis = RedisClient.create("127.0.0.1", port);
    private final List<Limiter> opened = new ArrayList<>();

    @BeforeAll
    static void start() throws IOException {
        port = freePort();
        server = redis();
    }

    @AfterAll
    static void stop() throws IOException {
        server.stop();
    }

    @BeforeEach
    void forget() {
        redis.flushAll();
    }

    @AfterEach
    void close() {
        opened.forEach(Limiter::close);
        redis.close();
    }

    @Override
    public Limiter open(Limiter.Budget budget) {
        Limiter limiter = new RedisLimiter(URI.create("redis://127.0.0.1:" + port), budget);
        opened.add(limiter);
        return limiter;
    }

    @Override
    public void nextWindow() {
        redis.keys("tally:rate:*:window").forEach(key -> redis.hincrBy(key, "start", -LONGER.toMillis()));
    }

    @Test
    void counters_expire_by_themselves() {
        open(new Limiter.Budget(1, WINDOW)).consume(ScopedKey.of("k"), ORDER);

        assertThat(redis.keys("*"))
                .hasSize(4)
                .allSatisfy(key -> assertThat(redis.pttl(key)).isBetween(WINDOW.toMillis(), 2 * WINDOW.toMillis()));
    }

    @Test
    void a_restarted_redis_is_used_again_and_an_absent_one_is_unavailable() throws IOException {
        Limiter limiter = open(new Limiter.Budget(1, WINDOW));
        limiter.consume(ScopedKey.of("k"), ORDER);
        server.stop();
        try {
            assertThatThrownBy(() -> limiter.consume(ScopedKey.of("k"), ORDER))
                    .isInstanceOf(DefiniteFailureException.class)
                    .hasMessageContaining("127.0.0.1:" + port);
        } finally {
            server = redis();
        }

        // The pool drops stale connections when they are used.
        assertThat(Eventually.value(
                        "an answer",
                        () -> {
                            try {
                                return limiter.consume(ScopedKey.of("other"), ORDER);
                            } catch (DefiniteFailureException e) {
                                return new Limiter.Decision.Over(WINDOW);
                            }
                        },
                        Limiter.Decision.Within.class::isInstance))
                .isEqualTo(new Limiter.Decision.Within());
    }

    @Test
    void an_absent_redis_is_refused() throws IOException {
        URI nowhere = URI.create("redis://user:secret@127.0.0.1:" + freePort());

        assertThatThrownBy(() -> new RedisLimiter(nowhere, Limiter.Budget.DEFAULT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("127.0.0.1:" + nowhere.getPort())
                .hasMessageNotContaining("secret");
    }

    @Test
    void an_address_that_is_not_a_redis_url_is_refused() {
        for (String address : List.of("http://127.0.0.1:6379", "redis:nowhere")) {
            assertThatThrownBy(() -> new RedisLimiter(URI.create(address), Limiter.Budget.DEFAULT))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("redis://HOST:PORT");
        }
    }

    private static RedisServer redis() throws IOException {
        RedisServer redis = RedisServer.newRedisServer()
                .bind("127.0.0.1")
                .port(port)
                .setting("save \"\"")
                .setting("maxmemory 64mb")
                .build();
        redis.start();
        return redis;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
