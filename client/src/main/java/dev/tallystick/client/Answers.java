package dev.tallystick.client;

import dev.tallystick.core.Json;
import dev.tallystick.core.JsonLimits;
import dev.tallystick.core.JsonRefused;
import dev.tallystick.core.ProblemCode;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
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
        if (!hasType(headers, PROBLEM)
                || code.status() != status
                || !fields.text("type").equals(PROBLEM_TYPE + code.word())) {
            throw new ForeignAnswer("it is no problem document of ours");
        }
        return switch (code) {
            case OUTCOME_UNKNOWN, INTERNAL_ERROR -> notNow(true, code, fields, headers);
            case OVER_LIMIT, BUSY, DATABASE_UNAVAILABLE, DATABASE_FULL, STOPPING, REQUEST_TIMEOUT ->
                notNow(false, code, fields, headers);
            // A request without its own key asks about another request's key, and cannot wait for ever.
            case REQUEST_IN_PROGRESS ->
                request.key() == null ? refused(code, fields) : notNow(true, code, fields, headers);
            default -> refused(code, fields);
        };
    }

    private static ProblemCode code(String word) {
        return ProblemCode.parse(word).orElseThrow(() -> new IllegalArgumentException("no such code"));
    }

    private static <T> Attempt<T> notNow(
            boolean mayHaveHappened, ProblemCode code, Fields problem, HttpHeaders headers) {
        AttemptFailure failure = new AttemptFailure(
                AttemptFailure.Kind.NOT_NOW, code.status(), "the server said " + code.word() + detail(problem));
        return new Attempt.Failed<>(mayHaveHappened, failure, retryAfter(headers), null);
    }

    private static <T> Attempt<T> refused(ProblemCode code, Fields problem) {
        String detail = problem.optionalText("detail");
        return new Attempt.Refused<>(
                code, new RefusedException(code.status(), code.word(), detail == null ? "" : detail, problem.object()));
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
                true, new AttemptFailure(AttemptFailure.Kind.FOREIGN_ANSWER, status, detail), retryAfter(headers), why);
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
