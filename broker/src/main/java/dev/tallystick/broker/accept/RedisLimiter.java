package dev.tallystick.broker.accept;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.keys.Scope;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.DefiniteFailureException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * Counts in Redis, by its clock, for any number of brokers. A script counts a request atomically, so that no two brokers see
 * the same budget. A Redis that loses its data restarts every budget and does no other harm. Thread-safe.
 *
 * <p>Needs the Redis client, which this module does not include.
 */
public final class RedisLimiter implements Limiter {

    private static final String SCRIPT = script();
    private static final int CONNECTIONS = 8;
    private static final int USUAL_PORT = 6379;

    private final RedisClient redis;
    private final Budget budget;
    private final String place;
    private final String script;

    /** Callers wait for a connection here: waiting virtual threads in the client's pool would block those that have one. */
    private final Semaphore turns = new Semaphore(CONNECTIONS, true);

    /**
     * @param address {@code redis://[user:password@]host:port[/database]}, or {@code rediss} for TLS
     * @throws IllegalArgumentException if no Redis answers there
     */
    public RedisLimiter(URI address, Budget budget) {
        this.budget = budget;
        // Without the user info, which may have a password.
        this.place = address.getHost() + ":" + port(address);
        this.redis = client(address);
        try {
            this.script = redis.scriptLoad(SCRIPT);
        } catch (JedisException e) {
            redis.close();
            throw new IllegalArgumentException("cannot reach Redis at " + place + ": " + e.getMessage(), e);
        }
    }

    @Override
    public Decision consume(ScopedKey key, Fingerprint fingerprint, int bytes) {
        turns.acquireUninterruptibly();
        try {
            long left = count(key, fingerprint, bytes);
            return left == 0 ? new Decision.Within() : new Decision.Over(Duration.ofMillis(left));
        } catch (JedisException e) {
            // The request may have been counted. Then the repeat is free.
            throw new DefiniteFailureException(
                    DefiniteFailureException.Reason.UNAVAILABLE, "cannot reach the limiter's Redis at " + place, e);
        } finally {
            turns.release();
        }
    }

    @Override
    public void close() {
        redis.close();
    }

    /** The member's budget first: once granted, a repeat because of the mesh's budget is free. */
    private long count(ScopedKey key, Fingerprint fingerprint, int bytes) {
        Scope scope = key.scope();
        String mesh = scope.mesh();
        String idempotencyKey = key.key().value();
        int cost = budget.cost(bytes);
        long left = count(mesh + "/" + scope.member(), budget.requests(), idempotencyKey, fingerprint, cost);
        return left > 0
                ? left
                : count(mesh, budget.requestsOfMesh(), scope.member() + "/" + idempotencyKey, fingerprint, cost);
    }

    private long count(String whose, int requests, String idempotencyKey, Fingerprint fingerprint, int cost) {
        // The part in braces selects the node of a cluster: a member's keys stay together.
        String name = "tally:rate:{" + whose + "}";
        List<String> keys = List.of(name + ":window", name + ":granted");
        List<String> arguments = List.of(
                Long.toString(budget.window().toMillis()),
                Integer.toString(requests),
                Integer.toString(FREE_REPEATS),
                idempotencyKey,
                fingerprint.hex(),
                Integer.toString(cost));
        try {
            return (Long) redis.evalsha(script, keys, arguments);
        } catch (JedisNoScriptException e) {
            // Redis was restarted and lost the script.
            return (Long) redis.eval(SCRIPT, keys, arguments);
        }
    }

    private static RedisClient client(URI address) {
        String scheme = address.getScheme();
        String host = address.getHost();
        if (host == null || !("redis".equals(scheme) || "rediss".equals(scheme))) {
            throw new IllegalArgumentException(
                    "a limiter's address must be redis://HOST:PORT, or rediss://HOST:PORT for TLS");
        }
        ConnectionPoolConfig connections = new ConnectionPoolConfig();
        connections.setMaxTotal(CONNECTIONS);
        connections.setMaxIdle(CONNECTIONS);
        return RedisClient.builder()
                .hostAndPort(host, port(address))
                .clientConfig(DefaultJedisClientConfig.builder(address).build())
                .poolConfig(connections)
                .build();
    }

    private static int port(URI address) {
        return address.getPort() < 0 ? USUAL_PORT : address.getPort();
    }

    private static String script() {
        try (InputStream in =
                Objects.requireNonNull(RedisLimiter.class.getResourceAsStream("count-request.lua"), "the script")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
