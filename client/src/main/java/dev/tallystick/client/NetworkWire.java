package dev.tallystick.client;

import dev.tallystick.client.net.BoundedBody;
import dev.tallystick.client.net.Durations;
import dev.tallystick.client.net.ForeignAnswer;
import dev.tallystick.client.net.Lines;
import dev.tallystick.core.IdempotencyKey;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/** Reaches a server over TCP, with or without TLS. Thread-safe. */
final class NetworkWire implements Wire {

    private final HttpClient http;
    private final String server;
    private final String token;

    /** @param connecting how long to wait for a connection */
    NetworkWire(URI server, String token, Duration connecting, @Nullable SSLContext trust) {
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(connecting);
        this.http = (trust == null ? builder : builder.sslContext(trust)).build();
        this.server = base(server);
        this.token = token;
    }

    /** The base of all request paths: a proxy may serve Tallystick under a path. */
    private static String base(URI server) {
        String scheme = server.getScheme();
        boolean isWeb = "http".equalsIgnoreCase(scheme) || "https".equalsIgnoreCase(scheme);
        if (!isWeb
                || server.getHost() == null
                || server.getRawUserInfo() != null
                || server.getRawQuery() != null
                || server.getRawFragment() != null) {
            throw new IllegalArgumentException(
                    "a server's address is http or https with a host, and a path at most, not " + server);
        }
        String text = server.toString();
        return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    }

    @Override
    public <T> Attempt<T> attempt(Request request, Duration limit, Function<Reply, T> reading) {
        return within(
                limit,
                http.sendAsync(http(request), info -> new BoundedBody(Answers.LARGEST.bytes())),
                response -> Answers.judge(
                        request,
                        response.statusCode(),
                        response.headers(),
                        response.body().orElse(null),
                        reading));
    }

    @Override
    public Attempt<Lines> open(Request request, Duration limit) {
        return within(
                limit,
                http.sendAsync(http(request), Opened::by),
                response -> response.body().judge(request, response));
    }

    /** The beginning of a stream, or the body of an answer that is not a stream. */
    private record Opened(@Nullable Lines lines, Optional<byte[]> body) {

        static HttpResponse.BodySubscriber<Opened> by(HttpResponse.ResponseInfo info) {
            int most = Answers.LARGEST.bytes();
            return Answers.isStream(info)
                    ? HttpResponse.BodySubscribers.mapping(
                            new Lines(most), lines -> new Opened(lines, Optional.empty()))
                    : HttpResponse.BodySubscribers.mapping(new BoundedBody(most), body -> new Opened(null, body));
        }

        Attempt<Lines> judge(Request request, HttpResponse<?> response) {
            if (lines != null) {
                return new Attempt.Answered<>(lines);
            }
            return Answers.judge(request, response.statusCode(), response.headers(), body.orElse(null), reply -> {
                throw new ForeignAnswer("it is no stream of events");
            });
        }
    }

    /** The limit covers the whole answer: a long poll's answer begins early, and may stall. */
    private <R, T> Attempt<T> within(Duration limit, CompletableFuture<R> answer, Function<R, Attempt<T>> judgement) {
        try {
            return judgement.apply(answer.get(Durations.nanos(limit), TimeUnit.NANOSECONDS));
        } catch (ExecutionException e) {
            return broken(e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            answer.cancel(true);
            return Wire.failed(AttemptFailure.Kind.TIMED_OUT, "no whole answer came from " + server + " in time", e);
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            return Wire.failed(AttemptFailure.Kind.INTERRUPTED, "interrupted", e);
        }
    }

    private <T> Attempt<T> broken(Throwable cause) {
        // Nothing is sent before the connection is established and the TLS handshake is complete.
        if (cause instanceof SSLHandshakeException) {
            return Wire.failed(
                    AttemptFailure.Kind.NO_CONNECTION, "no connection to " + server + ": " + cause.getMessage(), cause);
        }
        return cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException
                ? Wire.failed(AttemptFailure.Kind.NO_CONNECTION, "no connection to " + server, cause)
                : Wire.failed(AttemptFailure.Kind.CONNECTION_BROKEN, "the connection to " + server + " broke", cause);
    }

    private HttpRequest http(Request request) {
        HttpRequest.Builder built =
                HttpRequest.newBuilder(URI.create(server + request.path())).header("Authorization", "Bearer " + token);
        W3CTraceContextPropagator.getInstance().inject(Context.current(), built, NetworkWire::addHeader);
        if (request.key() != null) {
            built.header("Idempotency-Key", new IdempotencyKey(request.key()).header());
        }
        byte[] body = request.json();
        if (body == null) {
            return built.method(request.method(), HttpRequest.BodyPublishers.noBody())
                    .build();
        }
        return built.header("Content-Type", "application/json")
                .method(request.method(), HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
    }

    /** Sends the context of the current span; without a span, sends nothing. */
    private static void addHeader(HttpRequest.@Nullable Builder to, String name, String value) {
        if (to != null) {
            to.setHeader(name, value);
        }
    }
}
