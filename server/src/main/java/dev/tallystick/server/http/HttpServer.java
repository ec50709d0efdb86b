package dev.tallystick.server.http;

import dev.tallystick.core.ProblemCode;
import io.helidon.common.socket.SocketOptions;
import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http.DirectHandlers;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http1.Http1Config;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The web server: sockets, limits, and answers to input that is not even a request. */
public final class HttpServer implements AutoCloseable {

    /** What the web server says of too many bytes of headers, which it takes for a malformed request like any other. */
    private static final String HEADERS_TOO_LARGE = "Header size exceeded";

    private static final Duration GRACE = Duration.ofSeconds(5);

    private final WebServer server;
    private final String host;
    private final String scheme;

    public HttpServer(
            String host,
            int port,
            @Nullable Certificate certificate,
            Limits limits,
            Connections connections,
            Handler handler) {
        this.host = host;
        this.scheme = certificate == null ? "http" : "https";
        DirectHandlers.Builder direct = DirectHandlers.builder();
        for (DirectHandler.EventType type : DirectHandler.EventType.values()) {
            direct.addHandler(type, HttpServer::refuse);
        }
        WebServerConfig.Builder builder = WebServer.builder();
        if (certificate != null) {
            builder.tls(tls -> tls.sslContext(certificate.context()));
        }
        this.server = builder.host(host)
                .port(port)
                .shutdownHook(false)
                .shutdownGracePeriod(GRACE)
                // Not reached as long as closed connections disappear at once; a connection over this limit waits.
                .maxTcpConnections(limits.connections() + limits.connections() / 4 + 1)
                .maxPayloadSize(Limits.BODY)
                .connectionOptions(connections.observing(
                        SocketOptions.builder().tcpNoDelay(true).build()))
                .directHandlers(direct.build())
                // Else the handlers do not get to know what is wrong. They never pass it on.
                .errorHandling(handling -> handling.includeEntity(true))
                .addConnectionSelector(new BoundedHttp(
                        Http1Config.builder()
                                .maxHeadersSize(Limits.HEADERS)
                                .maxPrologueLength(Limits.PROLOGUE)
                                .build(),
                        connections))
                .routing(routing -> routing.any(handler))
                .build();
        server.start();
        // The web server only logs why it could not start.
        if (!server.isRunning()) {
            throw new ListenFailedException(host, port);
        }
    }

    public URI address() {
        String shown = host.contains(":") ? "[" + host + "]" : host;
        return URI.create(scheme + "://" + shown + ":" + server.port());
    }

    @Override
    public void close() {
        server.stop();
    }

    /** The web server's own refusals, in the same form as all others; never with internal details. */
    private static DirectHandler.TransportResponse refuse(
            DirectHandler.TransportRequest request,
            DirectHandler.EventType type,
            Status status,
            ServerResponseHeaders headers,
            @Nullable String message) {
        Problem problem = switch (type) {
            case PAYLOAD_TOO_LARGE -> new Problem(ProblemCode.PAYLOAD_TOO_LARGE, "send a smaller body");
            case HTTP_VERSION_NOT_SUPPORTED ->
                new Problem(
                        ProblemCode.HTTP_VERSION_NOT_SUPPORTED,
                        "speak HTTP/1.1; a proxy in between may have to be told to, such as nginx with"
                                + " proxy_http_version 1.1");
            // The handler answers our own faults. The web server itself fails only at reading malformed requests.
            case INTERNAL_ERROR, FORBIDDEN, BAD_REQUEST, OTHER -> {
                if (HEADERS_TOO_LARGE.equals(message)) {
                    yield new Problem(ProblemCode.HEADERS_TOO_LARGE, "send fewer or shorter headers");
                }
                yield request.headers().contains(HeaderNames.CONTENT_ENCODING) ? encoded() : other(status);
            }
        };
        headers.set(HeaderNames.CONTENT_TYPE, Problem.MEDIA_TYPE);
        headers.set(HeaderNames.create(Answer.MARK), Answer.API);
        return DirectHandler.TransportResponse.builder()
                .status(Status.create(problem.code().status()))
                .headers(headers)
                .entity(problem.document().getBytes(StandardCharsets.UTF_8))
                .keepAlive(false)
                .build();
    }

    private static Problem encoded() {
        return new Problem(ProblemCode.UNSUPPORTED_MEDIA_TYPE, "send the body as it is, without an encoding");
    }

    private static Problem other(Status status) {
        return switch (status.code()) {
            case 413 -> new Problem(ProblemCode.PAYLOAD_TOO_LARGE, "send a smaller body");
            case 414 -> new Problem(ProblemCode.HEADERS_TOO_LARGE, "send a shorter path or query");
            case 503 -> new Problem(ProblemCode.BUSY, "send the same request again a little later");
            default -> new Problem(ProblemCode.MALFORMED_REQUEST, "this is not well-formed HTTP/1.1");
        };
    }
}
