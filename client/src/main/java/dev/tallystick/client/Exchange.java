package dev.tallystick.client;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.JsonLimits;
import dev.tallystick.core.JsonRefused;
import dev.tallystick.core.ProblemCode;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Sends one request until its answer is definite. What may be sent again is what carries a key, or changes nothing, or
 * says the same thing however often it is said. The few requests that do none of this say so, and are not sent again once
 * an answer was lost. Thread-safe.
 */
final class Exchange {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    private static final Duration CONNECTING = Duration.ofSeconds(5);

    /** A server that hangs leaves time for others: so many attempts fit into the patience of one call. */
    private static final int ATTEMPTS = 3;

    static final JsonLimits ANSWER = new JsonLimits(64 * 1024 * 1024, JsonLimits.DEFAULT.depth());

    private final HttpClient http;
    private final RandomGenerator random = new SecureRandom();
    private final URI server;
    private final String token;
    private final Duration patience;
    private final Duration attemptLimit;
    private final Consumer<Reply> listener;

    Exchange(URI server, String token, Duration patience, @Nullable SSLContext trust) {
        this(http(patience.dividedBy(ATTEMPTS), trust), server, token, patience, reply -> {});
    }

    private Exchange(HttpClient http, URI server, String token, Duration patience, Consumer<Reply> listener) {
        this.http = http;
        this.server = server;
        this.token = token;
        this.patience = patience;
        this.attemptLimit = patience.dividedBy(ATTEMPTS);
        this.listener = listener;
    }

    private static HttpClient http(Duration attemptLimit, @Nullable SSLContext trust) {
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(connecting(attemptLimit));
        return (trust == null ? builder : builder.sslContext(trust)).build();
    }

    /** The same, which tells what it is answered. */
    Exchange telling(Consumer<Reply> other) {
        return new Exchange(http, server, token, patience, other);
    }

    /** Shorter than an attempt: where no connection comes about, nothing happened, and that is to be known. */
    private static Duration connecting(Duration attemptLimit) {
        Duration half = attemptLimit.dividedBy(2);
        return half.compareTo(CONNECTING) < 0 ? half : CONNECTING;
    }

    /** One attempt's outcome. */
    private sealed interface Attempt<T> {

        record Answered<T>(T answer) implements Attempt<T> {}

        /** This attempt did nothing, and a further one will not either. */
        record Refused<T>(ProblemCode code, RefusedException why) implements Attempt<T> {}

        /** Nothing happened, and trying again may help. */
        record NotNow<T>(
                String why, Duration rest, @Nullable Throwable cause) implements Attempt<T> {}

        /** It may have happened. */
        record Unknown<T>(String why, @Nullable Throwable cause) implements Attempt<T> {}
    }

    Reply send(Request request) {
        Reply reply = untilDefinite(request, () -> attempt(request));
        listener.accept(reply);
        return reply;
    }

    /** Begins to read server-sent events, line by line. */
    Lines open(Request request) {
        return untilDefinite(request, () -> opening(request));
    }

    private <T> T untilDefinite(Request request, Supplier<Attempt<T>> attempts) {
        long deadline = System.nanoTime() + patience.plus(request.serverWait()).toNanos();
        boolean mayHaveHappened = false;
        for (int number = 1; ; number++) {
            Attempt<T> attempt = attempts.get();
            Duration pause = pause(number);
            @Nullable Throwable cause;
            String why;
            switch (attempt) {
                case Attempt.Answered<T> answered -> {
                    return answered.answer();
                }
                case Attempt.Refused<T> refused -> {
                    if (mayHaveHappened && !holdsForEveryAttempt(request, refused.code())) {
                        throw new OutcomeUnknownException(request, refused.why());
                    }
                    throw refused.why();
                }
                case Attempt.NotNow<T> notNow -> {
                    why = notNow.why();
                    cause = notNow.cause();
                    pause = notNow.rest().compareTo(pause) > 0 ? notNow.rest() : pause;
                }
                case Attempt.Unknown<T> unknown -> {
                    why = unknown.why();
                    cause = unknown.cause();
                    mayHaveHappened |= request.changesSomething();
                }
            }
            if (mayHaveHappened && !request.repeatable()) {
                throw new OutcomeUnknownException(request, cause);
            }
            if (System.nanoTime() + pause.toNanos() - deadline > 0
                    || Thread.currentThread().isInterrupted()) {
                throw mayHaveHappened
                        ? new OutcomeUnknownException(request, cause)
                        : new UnavailableException(request + " did not get through: " + why, cause);
            }
            LockSupport.parkNanos(pause.toNanos());
        }
    }

    /**
     * Whether a refusal proves that an earlier attempt, whose answer was lost, did nothing either. What the size and the form
     * of a request decide is the same each time, and a key that stands for another submission never stood for this one.
     * Nothing else is proof: the earlier attempt may be what is in the way now, roles and things may have gone since, and
     * another server may know less, while the earlier attempt is still under way.
     */
    private static boolean holdsForEveryAttempt(Request request, ProblemCode code) {
        return switch (code) {
            case PAYLOAD_TOO_LARGE,
                    HEADERS_TOO_LARGE,
                    MALFORMED_JSON,
                    UNSUPPORTED_MEDIA_TYPE,
                    MENTIONS_REFUSED,
                    IDEMPOTENCY_KEY_MISSING,
                    IDEMPOTENCY_KEY_REFUSED -> true;
            case IDEMPOTENCY_KEY_REUSED -> request.isSubmission();
            default -> false;
        };
    }

    /** The limit is for the whole answer: one that is waited for is begun early, and may never go on. */
    private Attempt<Reply> attempt(Request request) {
        return within(
                attemptLimit.plus(request.serverWait()),
                http.sendAsync(http(request), HttpResponse.BodyHandlers.ofByteArray()),
                response -> judge(request, response));
    }

    /** Only the beginning is waited for here; a refusal is read to its end. */
    private Attempt<Lines> opening(Request request) {
        return within(
                attemptLimit, http.sendAsync(http(request), HttpResponse.BodyHandlers.ofPublisher()), response -> {
                    if (response.statusCode() == 200 && isOfEvents(response)) {
                        Lines lines = new Lines();
                        response.body().subscribe(HttpResponse.BodySubscribers.fromLineSubscriber(lines));
                        return new Attempt.Answered<>(lines);
                    }
                    HttpResponse.BodySubscriber<byte[]> refusal = HttpResponse.BodySubscribers.ofByteArray();
                    response.body().subscribe(refusal);
                    return within(
                            attemptLimit,
                            refusal.getBody().toCompletableFuture(),
                            body -> unsuccessful(request, response, body));
                });
    }

    private static boolean isOfEvents(HttpResponse<?> response) {
        return response.headers().firstValue("Content-Type").orElse("").startsWith("text/event-stream");
    }

    private <R, T> Attempt<T> within(Duration limit, CompletableFuture<R> answer, Function<R, Attempt<T>> judgement) {
        try {
            return judgement.apply(answer.get(limit.toNanos(), TimeUnit.NANOSECONDS));
        } catch (ExecutionException e) {
            return broken(e.getCause());
        } catch (TimeoutException e) {
            answer.cancel(true);
            return new Attempt.Unknown<>("no whole answer came from " + server + " in time", e);
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            return new Attempt.Unknown<>("interrupted", e);
        }
    }

    private <T> Attempt<T> broken(@Nullable Throwable cause) {
        if (cause instanceof SSLHandshakeException) {
            // Nothing is sent before both sides are content with each other.
            return new Attempt.NotNow<>("no connection to " + server + ": " + cause.getMessage(), Duration.ZERO, cause);
        }
        return cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException
                ? new Attempt.NotNow<>("no connection to " + server, Duration.ZERO, cause)
                : new Attempt.Unknown<>("the connection to " + server + " broke", cause);
    }

    private HttpRequest http(Request request) {
        HttpRequest.Builder built =
                HttpRequest.newBuilder(server.resolve(request.path())).header("Authorization", "Bearer " + token);
        W3CTraceContextPropagator.getInstance().inject(Context.current(), built, Exchange::addHeader);
        if (request.key() != null) {
            built.header("Idempotency-Key", new IdempotencyKey(request.key()).header());
        }
        Json body = request.body();
        if (body == null) {
            return built.method(request.method(), HttpRequest.BodyPublishers.noBody())
                    .build();
        }
        return built.header("Content-Type", "application/json")
                .method(request.method(), HttpRequest.BodyPublishers.ofByteArray(body.canonicalBytes()))
                .build();
    }

    /** What the current span belongs to goes along; if there is none, nothing does. */
    private static void addHeader(HttpRequest.@Nullable Builder to, String name, String value) {
        if (to != null) {
            to.setHeader(name, value);
        }
    }

    private static Attempt<Reply> judge(Request request, HttpResponse<byte[]> response) {
        int status = response.statusCode();
        Optional<Json.ObjectValue> body = object(response.body());
        return status >= 200 && status < 300 && body.isPresent()
                ? new Attempt.Answered<>(new Reply(status, body.get()))
                : unsuccessful(request, response, response.body());
    }

    /** Only a code of ours is an answer; what a proxy in between says proves nothing about the server. */
    private static <T> Attempt<T> unsuccessful(Request request, HttpResponse<?> response, byte[] sent) {
        int status = response.statusCode();
        Optional<Json.ObjectValue> body = object(sent);
        String code = body.map(problem -> problem.members().get("code"))
                .map(word -> word instanceof Json.StringValue text ? text.value() : "")
                .orElse("");
        Duration wait = retryAfter(response);
        Optional<ProblemCode> known = ProblemCode.parse(code);
        if (known.isEmpty() || body.isEmpty()) {
            return new Attempt.Unknown<>("the answer was " + status + ", and not one of ours", null);
        }
        return switch (known.get()) {
            case OUTCOME_UNKNOWN, INTERNAL_ERROR -> new Attempt.Unknown<>("the server said " + code, null);
            case OVER_LIMIT, BUSY, DATABASE_UNAVAILABLE, DATABASE_FULL, STOPPING, REQUEST_TIMEOUT ->
                new Attempt.NotNow<>("the server said " + code, wait, null);
            // What has no key of its own asks about that of another request, and cannot wait for it for ever.
            case REQUEST_IN_PROGRESS ->
                request.key() == null
                        ? refused(known.get(), status, body.get())
                        : new Attempt.Unknown<>("the server said " + code, null);
            default -> refused(known.get(), status, body.get());
        };
    }

    private static <T> Attempt<T> refused(ProblemCode code, int status, Json.ObjectValue problem) {
        return new Attempt.Refused<>(code, new RefusedException(status, code.word(), detail(problem), problem));
    }

    private static String detail(Json.ObjectValue problem) {
        return problem.members().get("detail") instanceof Json.StringValue text ? text.value() : "";
    }

    private static Optional<Json.ObjectValue> object(byte[] body) {
        if (body.length == 0) {
            return Optional.of(new Json.ObjectValue(Map.of()));
        }
        try {
            return Json.parse(body, ANSWER) instanceof Json.ObjectValue object ? Optional.of(object) : Optional.empty();
        } catch (JsonRefused e) {
            return Optional.empty();
        }
    }

    private static Duration retryAfter(HttpResponse<?> response) {
        try {
            return response.headers()
                    .firstValue("Retry-After")
                    .map(text -> Duration.ofSeconds(Long.parseLong(text)))
                    .orElse(Duration.ZERO);
        } catch (NumberFormatException e) {
            return Duration.ZERO;
        }
    }

    /** Doubles from try to try, and is never the same for two that failed together. */
    private Duration pause(int attempt) {
        long most = Math.min(LONGEST_PAUSE.toNanos(), FIRST_PAUSE.toNanos() << Math.min(attempt - 1, 20));
        return Duration.ofNanos((long) (most * (0.75 + 0.25 * random.nextDouble())));
    }
}
