package dev.tallystick.client;

import dev.tallystick.core.Json;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is asked of a server.
 *
 * @param key for what creates something
 * @param serverWait how long the server was asked to wait before it answers
 */
record Request(
        String method,
        String path,
        @Nullable Json body,
        @Nullable String key,
        Duration serverWait) {

    private static final Set<String> SUBMISSIONS = Set.of("/v1/jobs", "/v1/messages");

    Request {
        // In a header other characters become question marks, and different keys the same.
        if (key != null && key.chars().anyMatch(c -> c > '~')) {
            throw new IllegalArgumentException("a key that is sent to a server is printable ASCII, not '" + key + "'");
        }
    }

    static Request get(String path) {
        return new Request("GET", path, null, null, Duration.ZERO);
    }

    static Request post(String path, @Nullable Json body) {
        return new Request("POST", path, body, null, Duration.ZERO);
    }

    static Request put(String path, Json body) {
        return new Request("PUT", path, body, null, Duration.ZERO);
    }

    static Request delete(String path) {
        return new Request("DELETE", path, null, null, Duration.ZERO);
    }

    Request under(String other) {
        return new Request(method, path, body, other, serverWait);
    }

    Request waiting(Duration wait) {
        return new Request(method, path, body, key, wait);
    }

    boolean changesSomething() {
        return !method.equals("GET");
    }

    /** Whether its key is bound to what it says, and to nothing that changes on its own. */
    boolean isSubmission() {
        return key != null && SUBMISSIONS.contains(path);
    }

    /** Without the body, which may be nobody's business. */
    @Override
    public String toString() {
        return method + " " + path;
    }
}
