package dev.tallystick.client;

import dev.tallystick.client.net.Durations;
import dev.tallystick.client.net.ForeignAnswer;
import dev.tallystick.client.net.Lines;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import javax.net.ssl.SSLContext;
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

    private final Wire wire;
    private final RandomGenerator random = new SecureRandom();
    private final Duration patience;
    private final Duration attemptLimit;
    private final Consumer<Reply> listener;

    Transport(URI server, String token, Duration patience, @Nullable SSLContext trust) {
        this(new NetworkWire(server, token, connecting(attemptLimit(patience)), trust), patience);
    }

    Transport(Wire wire, Duration patience) {
        this(wire, Durations.bounded(patience), reply -> {});
    }

    private Transport(Wire wire, Duration patience, Consumer<Reply> listener) {
        this.wire = wire;
        this.patience = patience;
        this.attemptLimit = attemptLimit(patience);
        this.listener = listener;
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
        return new Transport(wire, patience, other);
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
    <A extends Record, T> T ask(Request request, Class<A> answer, Function<A, T> reading) {
        return settle(request, reply -> reading.apply(reply.as(answer))).answer();
    }

    /** Sends a request and reads the answer. */
    <A extends Record> A ask(Request request, Class<A> answer) {
        return ask(request, answer, Function.identity());
    }

    /** Sends a request and reads the answer, which has to name the subject of the request. */
    <A extends Record> A ask(Request request, Class<A> answer, Function<A, ?> subject, Object expected) {
        return ask(request, answer, read -> about(read, subject.apply(read), expected));
    }

    /** The answer, if it names the subject of the request. */
    static <A> A about(A answer, Object subject, Object expected) {
        if (!subject.toString().equals(expected.toString())) {
            throw new ForeignAnswer("it is about '" + subject + "', not about '" + expected + "'");
        }
        return answer;
    }

    /** Sends a request whose answer is empty. */
    void tell(Request request) {
        settle(request, reply -> {
            if (reply.status() != NO_CONTENT) {
                throw new ForeignAnswer("it is not " + NO_CONTENT);
            }
            return reply;
        });
    }

    /**
     * An answer, and what happened before it.
     *
     * @param afterUnknown whether the answer to an earlier attempt was lost, and that attempt may have taken effect
     */
    record Settled<T>(T answer, boolean afterUnknown) {}

    /** Sends a request and reads the reply; for answers whose meaning depends on the attempts before. */
    <T> Settled<T> settle(Request request, Function<Reply, T> reading) {
        Settled<Read<T>> read = untilDefinite(
                request, limit -> wire.attempt(request, limit, reply -> new Read<>(reply, reading.apply(reply))));
        listener.accept(read.answer().reply());
        return new Settled<>(read.answer().answer(), read.afterUnknown());
    }

    private record Read<T>(Reply reply, T answer) {}

    /** Begins to read server-sent events, line by line. Waits only for the beginning; reads a refusal to its end. */
    Lines open(Request request) {
        return untilDefinite(request, limit -> wire.open(request, limit)).answer();
    }

    private <T> Settled<T> untilDefinite(Request request, Function<Duration, Attempt<T>> attempts) {
        long deadline = System.nanoTime() + Durations.nanos(patience.plus(Durations.bounded(request.serverWait())));
        Duration limit = attemptLimit.plus(Durations.bounded(request.serverWait()));
        boolean mayHaveHappened = false;
        for (int number = 1; ; number++) {
            Duration left = Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
            switch (attempts.apply(Durations.shorter(limit, left))) {
                case Attempt.Answered<T> answered -> {
                    return new Settled<>(answered.answer(), mayHaveHappened);
                }
                case Attempt.Refused<T> refused -> throw refusal(request, mayHaveHappened, refused);
                case Attempt.Failed<T> failed -> {
                    mayHaveHappened |= failed.mayHaveHappened() && request.changesSomething();
                    Duration pause = Durations.longer(failed.failure().retryAfter(), pause(number));
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

    /** What a refusal means after earlier attempts. */
    static TallyException refusal(Request request, boolean mayHaveHappened, Attempt.Refused<?> refused) {
        return mayHaveHappened && !refused.why().holdsForEveryAttempt()
                ? new OutcomeUnknownException(request, refused.why())
                : refused.why();
    }

    static TallyException givenUp(Request request, boolean mayHaveHappened, Attempt.Failed<?> last) {
        return mayHaveHappened
                ? new OutcomeUnknownException(request, last.failure(), last.cause())
                : new UnavailableException(
                        request + " did not get through: " + last.failure(), last.failure(), last.cause());
    }

    /** Doubles with each attempt, with jitter to separate callers that failed together. */
    private Duration pause(int attempt) {
        long most = Math.min(LONGEST_PAUSE.toNanos(), FIRST_PAUSE.toNanos() << Math.min(attempt - 1, 20));
        return Duration.ofNanos((long) (most * (0.75 + 0.25 * random.nextDouble())));
    }
}
