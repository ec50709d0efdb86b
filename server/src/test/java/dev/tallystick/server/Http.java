package dev.tallystick.server;

import dev.tallystick.core.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A client as plain as can be: what is sent and what comes back, without opinions. */
public record Http(URI server, String token) {

    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();

    /** An answer. */
    public record Reply(int status, String body, Map<String, List<String>> headers) {

        public Json json() {
            return Json.parse(body);
        }

        public Json at(String name) {
            return Objects.requireNonNull(((Json.ObjectValue) json()).members().get(name), () -> name + " in " + body);
        }

        public String text(String name) {
            return ((Json.StringValue) at(name)).value();
        }

        public String code() {
            return text("code");
        }

        public String header(String name) {
            return headers.entrySet().stream()
                    .filter(header -> header.getKey().equalsIgnoreCase(name))
                    .map(header -> String.join(",", header.getValue()))
                    .findFirst()
                    .orElse("");
        }
    }

    public Http as(String other) {
        return new Http(server, other);
    }

    public Reply get(String path) {
        return send("GET", path, null);
    }

    public Reply post(String path, String body, String... headers) {
        return send("POST", path, body, headers);
    }

    public Reply put(String path, String body) {
        return send("PUT", path, body);
    }

    public Reply delete(String path) {
        return send("DELETE", path, null);
    }

    public Reply submit(String key, String body) {
        return post("/v1/jobs", body, "Idempotency-Key", key);
    }

    /** Sends a request, and leaves its answer to be read until the server hangs up. */
    public Socket open(String method, String path, String body) throws IOException {
        Socket socket = new Socket(server.getHost(), server.getPort());
        socket.setSoTimeout((int) Duration.ofSeconds(90).toMillis());
        String head = method + " " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer "
                + token
                + (body.isEmpty() ? "" : "\r\nContent-Type: application/json\r\nContent-Length: " + body.length());
        socket.getOutputStream().write((head + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    public Reply send(String method, String path, @Nullable String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.resolve(path))
                .timeout(Duration.ofSeconds(90))
                .method(
                        method,
                        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            HttpResponse<byte[]> response = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            return new Reply(
                    response.statusCode(),
                    new String(response.body(), StandardCharsets.UTF_8),
                    response.headers().map());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
