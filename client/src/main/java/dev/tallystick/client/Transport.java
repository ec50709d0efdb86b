package dev.tallystick.client;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Sends one request until its answer is definite. A request may be repeated if it carries a key, changes nothing, or has the
 * same effect however often it is sent. The few others say so, and are not repeated once an answer was lost.
 *
 * <p>Every answer is read here, by the reader that belongs to its request: if the reader does not find what it needs, the
 * answer is foreign, whatever its status ({@link Answers}). No call takes longer than its patience plus the time for which it
 * asks the server to wait. Thread-safe.
 */
final class Transport {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    private static final Duration CONNECTING = Duration.ofSeconds(5);
    private static final Duration LONGEST_UNASKED_WAIT = Duration.ofMinutes(1);
    private static final Duration LEAST_PATIENCE = Duration.ofMillis(10);
    private static final int NO_CONTENT = 204;

    /** The patience of one call allows so many attempts, so a hanging server leaves time for others. */
    private static final int ATTEMPTS = 3;

    private final HttpClient http;
    private final RandomGenerator random = new SecureRandom();
    private final String server;
    private final String token;
    private final Duration patience;
    private final Duration attemptLimit;
    private final Consumer<Reply> listener;

    Transport(URI server, String token, Duration patience, @Nullable SSLContext trust) {
        this(http(attemptLimit(patience), trust), base(server), token, Durations.bounded(patience), reply -> {});
    }

    private Transport(HttpClient http, String server, String token, Duration patience, Consumer<Reply> listener) {
        this.http = http;
        this.server = server;
        this.token = token;
        this.patience = patience;
        this.attemptLimit = attemptLimit(patience);
        this.listener = listener;
    }

    private static HttpClient http(Duration attemptLimit, @Nullable SSLContext trust) {
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(connecting(attemptLimit));
        return (trust == null ? builder : builder.sslContext(trust)).build();
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

    private static Duration attemptLimit(Duration patience) {
        if (patience.compareTo(LEAST_PATIENCE) < 0) {
            throw new IllegalArgumentException(
                    "a client's patience is " + LEAST_PATIENCE + " or more, not " + patience);
        }
        return Durations.bounded(patience).dividedBy(ATTEMPTS);
    }

    /** The same exchange, which also reports its answers. */
    Transport telling(Consumer<Reply> other) {
        return new Transport(http, server, token, patience, other);
    }

    Duration patience() {
        return patience;
    }

    /** How long a server may delay an answer without being asked to wait: one attempt allows for it. */
    Duration longestUnaskedWait() {
        return Durations.shorter(attemptLimit.dividedBy(2), LONGEST_UNASKED_WAIT);
    }

    /** Shorter than an attempt: without a connection nothing happened, and the caller should learn that. */
    private static Duration connecting(Duration attemptLimit) {
        return Durations.shorter(attemptLimit.dividedBy(2), CONNECTING);
    }

    /** Sends a request and reads the answer. The reader throws {@link ForeignAnswer} if the answer is not a server's. */
    <T> T ask(Request request, Function<Fields, T> reading) {
        return answered(request, reply -> reading.apply(reply.fields()));
    }

    /** Sends a request whose answer is empty. */
    void tell(Request request) {
        answered(request, reply -> {
            if (reply.status() != NO_CONTENT) {
                throw new ForeignAnswer("it is not " + NO_CONTENT);
            }
            return reply;
        });
    }

    private <T> T answered(Request request, Function<Reply, T> reading) {
        Read<T> read = untilDefinite(
                request,
                limit -> within(
                        limit,
                        http.sendAsync(http(request), info -> new BoundedBody(Answers.LARGEST.bytes())),
                        response -> Answers.judge(
                                request,
                                response.statusCode(),
                                response.headers(),
                                response.body().orElse(null),
                                reply -> new Read<>(reply, reading.apply(reply)))));
        listener.accept(read.reply());
        return read.answer();
    }

    private record Read<T>(Reply reply, T answer) {}

    /** Begins to read server-sent events, line by line. Waits only for the beginning; reads a refusal to its end. */
    Lines open(Request request) {
        return untilDefinite(
                request,
                limit -> within(
                        limit,
                        http.sendAsync(http(request), Opened::by),
                        response -> response.body().judge(request, response)));
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

    private <T> T untilDefinite(Request request, Function<Duration, Attempt<T>> attempts) {
        long deadline = System.nanoTime() + Durations.nanos(patience.plus(Durations.bounded(request.serverWait())));
        Duration limit = attemptLimit.plus(Durations.bounded(request.serverWait()));
        boolean mayHaveHappened = false;
        for (int number = 1; ; number++) {
            Duration left = Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
            switch (attempts.apply(Durations.shorter(limit, left))) {
                case Attempt.Answered<T> answered -> {
                    return answered.answer();
                }
                case Attempt.Refused<T> refused -> {
                    if (mayHaveHappened && !holdsForEveryAttempt(request, refused.code())) {
                        throw new OutcomeUnknownException(request, refused.why());
                    }
                    throw refused.why();
                }
                case Attempt.Failed<T> failed -> {
                    mayHaveHappened |= failed.mayHaveHappened() && request.changesSomething();
                    Duration pause = Durations.longer(failed.rest(), pause(number));
                    boolean isLast = deadline - System.nanoTime() < Durations.nanos(pause)
                            || Thread.currentThread().isInterrupted()
                            || (mayHaveHappened && !request.repeatable());
                    if (isLast) {
                        throw givenUp(request, mayHaveHappened, failed);
                    }
                    LockSupport.parkNanos(pause.toNanos());
                }
            }
        }
    }

    private static TallyException givenUp(Request request, boolean mayHaveHappened, Attempt.Failed<?> last) {
        return mayHaveHappened
                ? new OutcomeUnknownException(request, last.failure(), last.cause())
                : new UnavailableException(
                        request + " did not get through: " + last.failure(), last.failure(), last.cause());
    }

    /**
     * Whether a refusal proves that an earlier attempt, whose answer was lost, did nothing either. Refusals for size or form
     * are the same each time, and a key that belongs to another submission never belonged to this one. Nothing else is proof:
     * the earlier attempt may be the cause of this refusal, roles and objects may have disappeared since, and another server
     * may know less while the earlier attempt is still in progress.
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

    /** The limit covers the whole answer: a long poll's answer begins early, and may stall. */
    private <R, T> Attempt<T> within(Duration limit, CompletableFuture<R> answer, Function<R, Attempt<T>> judgement) {
        try {
            return judgement.apply(answer.get(Durations.nanos(limit), TimeUnit.NANOSECONDS));
        } catch (ExecutionException e) {
            return broken(e.getCause());
        } catch (TimeoutException e) {
            answer.cancel(true);
            return failed(AttemptFailure.Kind.TIMED_OUT, "no whole answer came from " + server + " in time", e);
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            return failed(AttemptFailure.Kind.INTERRUPTED, "interrupted", e);
        }
    }

    private <T> Attempt<T> broken(@Nullable Throwable cause) {
        // Nothing is sent before the connection is established and the TLS handshake is complete.
        if (cause instanceof SSLHandshakeException) {
            return failed(
                    AttemptFailure.Kind.NO_CONNECTION, "no connection to " + server + ": " + cause.getMessage(), cause);
        }
        return cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException
                ? failed(AttemptFailure.Kind.NO_CONNECTION, "no connection to " + server, cause)
                : failed(AttemptFailure.Kind.CONNECTION_BROKEN, "the connection to " + server + " broke", cause);
    }

    private static <T> Attempt<T> failed(AttemptFailure.Kind kind, String detail, @Nullable Throwable cause) {
        return new Attempt.Failed<>(
                kind != AttemptFailure.Kind.NO_CONNECTION,
                new AttemptFailure(kind, null, detail),
                Duration.ZERO,
                cause);
    }

    private HttpRequest http(Request request) {
        HttpRequest.Builder built =
                HttpRequest.newBuilder(URI.create(server + request.path())).header("Authorization", "Bearer " + token);
        W3CTraceContextPropagator.getInstance().inject(Context.current(), built, Transport::addHeader);
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

    /** Sends the context of the current span; without a span, sends nothing. */
    private static void addHeader(HttpRequest.@Nullable Builder to, String name, String value) {
        if (to != null) {
            to.setHeader(name, value);
        }
    }

    /** Doubles with each attempt, with jitter to separate callers that failed together. */
    private Duration pause(int attempt) {
        long most = Math.min(LONGEST_PAUSE.toNanos(), FIRST_PAUSE.toNanos() << Math.min(attempt - 1, 20));
        return Duration.ofNanos((long) (most * (0.75 + 0.25 * random.nextDouble())));
    }
}
