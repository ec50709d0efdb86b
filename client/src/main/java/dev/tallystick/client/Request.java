package dev.tallystick.client;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.api.RecordBinding;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A request to a server.
 *
 * @param key for requests that create something
 * @param serverWait how long the server was asked to wait before it answers
 * @param repeatable whether a repeat has no effect beyond the first one's
 * @param isSubmission whether the key is bound to the request alone, and not to anything that can change meanwhile
 */
record Request(
        String method,
        String path,
        @Nullable Record body,
        @Nullable String key,
        Duration serverWait,
        boolean repeatable,
        boolean isSubmission) {

    static Request get(String path) {
        return of("GET", path, null);
    }

    static Request post(String path) {
        return of("POST", path, null);
    }

    static Request post(String path, @Nullable Record body) {
        return of("POST", path, body);
    }

    static Request put(String path, Record body) {
        return of("PUT", path, body);
    }

    static Request delete(String path) {
        return of("DELETE", path, null);
    }

    private static Request of(String method, String path, @Nullable Record body) {
        return new Request(method, path, body, null, Duration.ZERO, true, false);
    }

    Request under(String other) {
        if (!IdempotencyKey.fitsHeader(other)) {
            throw new IllegalArgumentException(
                    "a key that is sent to a server is printable ASCII, not '" + other + "'");
        }
        return new Request(method, path, body, other, serverWait, repeatable, isSubmission);
    }

    Request submitting() {
        return new Request(method, path, body, key, serverWait, repeatable, true);
    }

    /** One of the submissions of a batch, as if it were sent alone. Its key is not sent in a header, and may be any key. */
    static Request submissionInBatch(String path, IdempotencyKey key) {
        return new Request("POST", path, null, key.value(), Duration.ZERO, true, true);
    }

    Request waiting(Duration wait) {
        return new Request(method, path, body, key, wait, repeatable, isSubmission);
    }

    /** For requests that would take effect twice: repeated only while it is certain that nothing has happened. */
    Request unrepeatable() {
        return new Request(method, path, body, key, serverWait, false, isSubmission);
    }

    /** The body in JSON; null for none. */
    byte @Nullable [] json() {
        return body == null ? null : RecordBinding.text(body).getBytes(StandardCharsets.UTF_8);
    }

    boolean changesSomething() {
        return !method.equals("GET");
    }

    /** Without the body, which may be confidential. */
    @Override
    public String toString() {
        return method + " " + path;
    }
}
