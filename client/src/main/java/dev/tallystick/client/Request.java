package dev.tallystick.client;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request to a server.
 *
 * @param key for requests that create something
 * @param serverWait how long the server was asked to wait before it answers
 * @param repeatable whether a repeat has no effect beyond the first one's
 */
record Request(
        String method,
        String path,
        @Nullable Json body,
        @Nullable String key,
        Duration serverWait,
        boolean repeatable) {

    private static final Set<String> SUBMISSIONS = Set.of("/v1/jobs", "/v1/messages");

    Request {
        if (key != null && !IdempotencyKey.fitsHeader(key)) {
            throw new IllegalArgumentException("a key that is sent to a server is printable ASCII, not '" + key + "'");
        }
    }

    static Request get(String path) {
        return new Request("GET", path, null, null, Duration.ZERO, true);
    }

    static Request post(String path, @Nullable Json body) {
        return new Request("POST", path, body, null, Duration.ZERO, true);
    }

    static Request put(String path, Json body) {
        return new Request("PUT", path, body, null, Duration.ZERO, true);
    }

    static Request delete(String path) {
        return new Request("DELETE", path, null, null, Duration.ZERO, true);
    }

    Request under(String other) {
        return new Request(method, path, body, other, serverWait, repeatable);
    }

    Request waiting(Duration wait) {
        return new Request(method, path, body, key, wait, repeatable);
    }

    /** For requests that would take effect twice: repeated only while it is certain that nothing has happened. */
    Request unrepeatable() {
        return new Request(method, path, body, key, serverWait, false);
    }

    boolean changesSomething() {
        return !method.equals("GET");
    }

    /** Whether its key is bound to the request alone, and not to anything that can change meanwhile. */
    boolean isSubmission() {
        return key != null && SUBMISSIONS.contains(path);
    }

    /** Without the body, which may be confidential. */
    @Override
    public String toString() {
        return method + " " + path;
    }
}
