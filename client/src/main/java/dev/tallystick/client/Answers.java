package dev.tallystick.client;

import dev.tallystick.client.net.Durations;
import dev.tallystick.client.net.ForeignAnswer;
import dev.tallystick.core.Json;
import dev.tallystick.core.JsonLimits;
import dev.tallystick.core.JsonRefused;
import dev.tallystick.core.ProblemCode;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes a server's answers from all others. A success has the media type of JSON and every member that the reader
 * needs, or no body at all and the header {@value #MARK}; a refusal is a Tallystick problem document with the right status. Any
 * other answer, even a {@code 200}, came from or was changed by something in between, and says nothing about the request.
 */
final class Answers {

    static final JsonLimits LARGEST = new JsonLimits(64 * 1024 * 1024, JsonLimits.DEFAULT.depth());

    /** Every answer of a server has this header, to identify those without a body. */
    static final String MARK = "Tally-Api";

    private static final String JSON = "application/json";
    private static final String PROBLEM = "application/problem+json";
    private static final String EVENTS = "text/event-stream";
    private static final String PROBLEM_TYPE = "urn:tallystick:problem:";
    private static final int LONGEST_HEADER = 60;

    /** Too slow, too many, unavailable, full: nothing was done, and the same request may succeed later. */
    private static final Set<Integer> NOTHING_DONE_YET = Set.of(408, 429, 503, 507);

    static boolean isStream(HttpResponse.ResponseInfo info) {
        return info.statusCode() == 200 && hasType(info.headers(), EVENTS);
    }

    /**
     * @param body null if it was too large
     * @param reading throws {@link ForeignAnswer} if it does not find what it needs
     */
    static <T> Attempt<T> judge(
            Request request, int status, HttpHeaders headers, byte @Nullable [] body, Function<Reply, T> reading) {
        try {
            if (body == null) {
                throw new ForeignAnswer("it has more than " + LARGEST.bytes() + " bytes");
            }
            return status >= 200 && status < 300
                    ? new Attempt.Answered<>(reading.apply(reply(status, headers, body)))
                    : unsuccessful(request, status, headers, object(body));
        } catch (ForeignAnswer e) {
            return foreign(status, headers, e);
        }
    }

    private static Reply reply(int status, HttpHeaders headers, byte[] body) {
        if (body.length == 0) {
            if (headers.firstValue(MARK).isEmpty()) {
                throw new ForeignAnswer("it is empty and has no header " + MARK);
            }
            return new Reply(status, new Json.ObjectValue(Map.of()));
        }
        if (!hasType(headers, JSON)) {
            throw new ForeignAnswer("it is not " + JSON);
        }
        return new Reply(status, object(body));
    }

    private static <T> Attempt<T> unsuccessful(
            Request request, int status, HttpHeaders headers, Json.ObjectValue problem) {
        Fields fields = new Fields(problem);
        ProblemCode code = fields.text("code", Answers::code);
        if (!hasType(headers, PROBLEM)) {
            throw new ForeignAnswer("it is not " + PROBLEM);
        }
        requireOurs(code, status, fields);
        return problem(request, code, fields, retryAfter(headers));
    }

    /**
     * The outcome of one of the requests that were sent as one: an answer as if it had been sent alone, or a problem document
     * with its own {@code retry_after}.
     *
     * @param reading throws {@link ForeignAnswer} if it does not find what it needs
     */
    static <T> Attempt<T> judgePart(Request request, Fields outcome, Supplier<T> reading) {
        String word = outcome.optionalText("code");
        if (word == null) {
            return new Attempt.Answered<>(reading.get());
        }
        Optional<ProblemCode> code = ProblemCode.parse(word);
        if (code.isEmpty()) {
            // A newer server's. The outcomes of the other requests are clear.
            return new Attempt.Failed<>(
                    true,
                    new AttemptFailure(
                            AttemptFailure.Kind.FOREIGN_ANSWER, outcome.count("status"), "unknown code " + word),
                    null);
        }
        requireOurs(code.get(), outcome.count("status"), outcome);
        long rest = outcome.jsonIfThere("retry_after") == null ? 0 : outcome.count("retry_after");
        return problem(request, code.get(), outcome, Duration.ofSeconds(rest));
    }

    private static void requireOurs(ProblemCode code, int status, Fields problem) {
        if (code.status() != status || !problem.text("type").equals(PROBLEM_TYPE + code.word())) {
            throw new ForeignAnswer("it is no problem document of ours");
        }
    }

    private static <T> Attempt<T> problem(Request request, ProblemCode code, Fields fields, Duration rest) {
        return switch (code) {
            case OUTCOME_UNKNOWN, INTERNAL_ERROR -> notNow(true, code, fields, rest);
            // A request without its own key asks about another request's key, and cannot wait for ever.
            case REQUEST_IN_PROGRESS ->
                request.key() == null ? refused(request, code, fields) : notNow(true, code, fields, rest);
            default ->
                NOTHING_DONE_YET.contains(code.status())
                        ? notNow(false, code, fields, rest)
                        : refused(request, code, fields);
        };
    }

    private static ProblemCode code(String word) {
        return ProblemCode.parse(word).orElseThrow(() -> new IllegalArgumentException("no such code"));
    }

    private static <T> Attempt<T> notNow(boolean mayHaveHappened, ProblemCode code, Fields problem, Duration rest) {
        AttemptFailure failure = new AttemptFailure(
                AttemptFailure.Kind.NOT_NOW, code.status(), "the server said " + code.word() + detail(problem), rest);
        return new Attempt.Failed<>(mayHaveHappened, failure, null);
    }

    private static <T> Attempt<T> refused(Request request, ProblemCode code, Fields problem) {
        String detail = problem.optionalText("detail");
        return new Attempt.Refused<>(new RefusedException(
                code, detail == null ? "" : detail, holdsForEveryAttempt(request, code), problem.object()));
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

    private static String detail(Fields problem) {
        String detail = problem.optionalText("detail");
        return detail == null || detail.isEmpty() ? "" : " (" + detail + ")";
    }

    /** Names everything that shows which machine sent the answer. */
    private static <T> Attempt<T> foreign(int status, HttpHeaders headers, ForeignAnswer why) {
        String detail = "the answer was " + status + said(headers, "Content-Type", " with ")
                + said(headers, "Server", " from ") + said(headers, "Location", " to ")
                + ", and not one of a Tallystick server: " + why.getMessage();
        return new Attempt.Failed<>(
                true, new AttemptFailure(AttemptFailure.Kind.FOREIGN_ANSWER, status, detail, retryAfter(headers)), why);
    }

    private static String said(HttpHeaders headers, String name, String before) {
        return headers.firstValue(name)
                .map(value -> before + value.substring(0, Math.min(value.length(), LONGEST_HEADER)))
                .orElse("");
    }

    private static boolean hasType(HttpHeaders headers, String type) {
        String said = headers.firstValue("Content-Type").orElse("").toLowerCase(Locale.ROOT);
        return said.equals(type) || said.startsWith(type + ";");
    }

    private static Json.ObjectValue object(byte[] body) {
        try {
            if (Json.parse(body, LARGEST) instanceof Json.ObjectValue object) {
                return object;
            }
        } catch (JsonRefused e) {
            throw new ForeignAnswer("it is no JSON", e);
        }
        throw new ForeignAnswer("it is no JSON object");
    }

    /** In seconds; a date is not supported, and counts as absent. */
    private static Duration retryAfter(HttpHeaders headers) {
        try {
            long seconds = headers.firstValue("Retry-After")
                    .map(String::strip)
                    .map(Long::parseLong)
                    .orElse(0L);
            return Durations.bounded(Duration.ofSeconds(Math.max(0, seconds)));
        } catch (NumberFormatException e) {
            return Duration.ZERO;
        }
    }

    private Answers() {}
}
