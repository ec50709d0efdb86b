package dev.tallystick.client;

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
import java.util.random.RandomGenerator;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Sends one request until its answer is definite. What may be sent again is what carries a key, or changes nothing, or says the
 * same thing however often it is said; every request of this client is one of these. Thread-safe.
 */
final class Exchange {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    private static final Duration CONNECTING = Duration.ofSeconds(5);

    /** A server that hangs leaves time for others: so many attempts fit into the patience of one call. */
    private static final int ATTEMPTS = 3;

    private static final JsonLimits ANSWER = new JsonLimits(64 * 1024 * 1024, JsonLimits.DEFAULT.depth());

    private final HttpClient http;
    private final RandomGenerator random = new SecureRandom();
    private final URI server;
    private final String token;
    private final Duration patience;
    private final Duration attemptLimit;

    Exchange(URI server, String token, Duration patience, @Nullable SSLContext trust) {
        this.patience = patience;
        this.attemptLimit = patience.dividedBy(ATTEMPTS);
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(connecting(attemptLimit));
        this.http = (trust == null ? builder : builder.sslContext(trust)).build();
        this.server = server;
        this.token = token;
    }

    /** Shorter than an attempt: where no connection comes about, nothing happened, and that is to be known. */
    private static Duration connecting(Duration attemptLimit) {
        Duration half = attemptLimit.dividedBy(2);
        return half.compareTo(CONNECTING) < 0 ? half : CONNECTING;
    }

    /** One attempt's outcome. */
    private sealed interface Attempt {

        record Answered(Reply reply) implements Attempt {}

        /** This attempt did nothing, and a further one will not either. */
        record Refused(ProblemCode code, RefusedException why) implements Attempt {}

        /** Nothing happened, and trying again may help. */
        record NotNow(String why, Duration rest, @Nullable Throwable cause) implements Attempt {}

        /** It may have happened. */
        record Unknown(String why, @Nullable Throwable cause) implements Attempt {}
    }

    Reply send(Request request) {
        long deadline = System.nanoTime() + patience.plus(request.serverWait()).toNanos();
        boolean mayHaveHappened = false;
        for (int number = 1; ; number++) {
            Attempt attempt = attempt(request);
            Duration pause = pause(number);
            @Nullable Throwable cause;
            String why;
            switch (attempt) {
                case Attempt.Answered answered -> {
                    return answered.reply();
                }
                case Attempt.Refused refused -> {
                    if (mayHaveHappened && !holdsForEveryAttempt(request, refused.code())) {
                        throw new OutcomeUnknownException(request.toString(), request.key(), refused.why());
                    }
                    throw refused.why();
                }
                case Attempt.NotNow notNow -> {
                    why = notNow.why();
                    cause = notNow.cause();
                    pause = notNow.rest().compareTo(pause) > 0 ? notNow.rest() : pause;
                }
                case Attempt.Unknown unknown -> {
                    why = unknown.why();
                    cause = unknown.cause();
                    mayHaveHappened |= request.changesSomething();
                }
            }
            if (System.nanoTime() + pause.toNanos() - deadline > 0
                    || Thread.currentThread().isInterrupted()) {
                throw mayHaveHappened
                        ? new OutcomeUnknownException(request.toString(), request.key(), cause)
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
    private Attempt attempt(Request request) {
        CompletableFuture<HttpResponse<byte[]>> answer =
                http.sendAsync(http(request), HttpResponse.BodyHandlers.ofByteArray());
        try {
            return judge(answer.get(attemptLimit.plus(request.serverWait()).toNanos(), TimeUnit.NANOSECONDS));
        } catch (ExecutionException e) {
            return broken(e.getCause());
        } catch (TimeoutException e) {
            answer.cancel(true);
            return new Attempt.Unknown("no whole answer came from " + server + " in time", e);
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            return new Attempt.Unknown("interrupted", e);
        }
    }

    private Attempt broken(@Nullable Throwable cause) {
        return cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException
                ? new Attempt.NotNow("no connection to " + server, Duration.ZERO, cause)
                : new Attempt.Unknown("the connection to " + server + " broke", cause);
    }

    private HttpRequest http(Request request) {
        HttpRequest.Builder built =
                HttpRequest.newBuilder(server.resolve(request.path())).header("Authorization", "Bearer " + token);
        W3CTraceContextPropagator.getInstance().inject(Context.current(), built, Exchange::addHeader);
        if (request.key() != null) {
            built.header("Idempotency-Key", request.key());
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

    /** Only a code of ours is an answer; what a proxy in between says proves nothing about the server. */
    private static Attempt judge(HttpResponse<byte[]> response) {
        Optional<Json.ObjectValue> body = object(response.body());
        int status = response.statusCode();
        if (status >= 200 && status < 300 && body.isPresent()) {
            return new Attempt.Answered(new Reply(status, body.get()));
        }
        String code = body.map(problem -> problem.members().get("code"))
                .map(word -> word instanceof Json.StringValue text ? text.value() : "")
                .orElse("");
        Duration wait = retryAfter(response);
        Optional<ProblemCode> known = ProblemCode.parse(code);
        if (known.isEmpty()) {
            return new Attempt.Unknown("the answer was " + status + ", and not one of ours", null);
        }
        return switch (known.get()) {
            case OUTCOME_UNKNOWN, INTERNAL_ERROR, REQUEST_IN_PROGRESS ->
                new Attempt.Unknown("the server said " + code, null);
            case OVER_LIMIT, BUSY, DATABASE_UNAVAILABLE, STOPPING, REQUEST_TIMEOUT ->
                new Attempt.NotNow("the server said " + code, wait, null);
            default ->
                new Attempt.Refused(known.get(), new RefusedException(status, code, detail(body.get()), body.get()));
        };
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
