package dev.tallystick.daemon.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.Json;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An answer to a local request.
 *
 * @param retryAfter seconds; null if nothing is said
 */
record LocalAnswer(
        int status, String type, String body, @Nullable Integer retryAfter) {

    static final String API = "v1";

    LocalAnswer(int status, String type, String body) {
        this(status, type, body, null);
    }

    static LocalAnswer json(int status, Json.ObjectValue body) {
        return new LocalAnswer(status, "application/json", body.canonical());
    }

    LocalAnswer retryAfterSeconds(int seconds) {
        return new LocalAnswer(status, type, body, seconds);
    }

    ByteBuffer bytes(boolean isLast) {
        byte[] content = body.getBytes(UTF_8);
        String head = "HTTP/1.1 " + status + " " + phrase() + "\r\nContent-Type: " + type + "\r\nContent-Length: "
                + content.length + "\r\nTally-Api: " + API + "\r\n"
                + (retryAfter == null ? "" : "Retry-After: " + retryAfter + "\r\n")
                + (isLast ? "Connection: close\r\n\r\n" : "\r\n");
        byte[] start = head.getBytes(UTF_8);
        return ByteBuffer.allocate(start.length + content.length)
                .put(start)
                .put(content)
                .flip();
    }

    private String phrase() {
        return switch (status) {
            case 200 -> "OK";
            case 201 -> "Created";
            case 202 -> "Accepted";
            default -> status < 500 ? "Refused" : "Unavailable";
        };
    }
}
