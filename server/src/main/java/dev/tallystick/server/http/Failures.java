package dev.tallystick.server.http;

import dev.tallystick.broker.member.QuotaExceededException;
import dev.tallystick.core.Ids;
import dev.tallystick.core.Json;
import dev.tallystick.core.JsonRefused;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.api.RecordRefused;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.UnknownOutcomeException;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** Turns failures of the work behind a route into problems that tell the caller what to do. Thread-safe. */
public final class Failures {

    private static final Logger LOG = LoggerFactory.getLogger(RequestHandler.class);

    private final Runnable diskIsFull;
    private final Ids ids;

    public Failures(Runnable diskIsFull, Ids ids) {
        this.diskIsFull = diskIsFull;
        this.ids = ids;
    }

    public Problem problem(RuntimeException failure, String method, String path) {
        return switch (failure) {
            case Problem problem -> problem;
            case JsonRefused refused
            when refused.reason() == JsonRefused.Reason.TOO_LONG ->
                new Problem(ProblemCode.PAYLOAD_TOO_LARGE, String.valueOf(refused.getMessage()));
            case JsonRefused refused -> new Problem(ProblemCode.MALFORMED_JSON, String.valueOf(refused.getMessage()));
            case RecordRefused refused ->
                new Problem(ProblemCode.MALFORMED_REQUEST, String.valueOf(refused.getMessage()));
            case QuotaExceededException full -> new Problem(ProblemCode.TOO_MANY, String.valueOf(full.getMessage()));
            case UnknownOutcomeException unknown
            when isRead(method) ->
                new Problem(ProblemCode.DATABASE_UNAVAILABLE, "it did not answer; ask again")
                        .retryAfter(Duration.ofSeconds(1));
            case UnknownOutcomeException unknown ->
                new Problem(ProblemCode.OUTCOME_UNKNOWN, "send the same request again, under the same key")
                        .retryAfter(Duration.ofSeconds(1));
            case DefiniteFailureException definite
            when definite.reason() != DefiniteFailureException.Reason.REFUSED -> unavailable(definite);
            case CompletionException wrapper
            when wrapper.getCause() instanceof RuntimeException cause -> problem(cause, method, path);
            default -> internal(failure, method, path);
        };
    }

    /** A read may be repeated, even if its transaction writes something. */
    private static boolean isRead(String method) {
        return method.equals("GET");
    }

    private Problem unavailable(DefiniteFailureException failure) {
        ProblemCode code = switch (failure.reason()) {
            case UNAVAILABLE -> ProblemCode.DATABASE_UNAVAILABLE;
            case DISK_FULL -> {
                diskIsFull.run();
                yield ProblemCode.DATABASE_FULL;
            }
            case CONFLICT, LOCKED, OVERLOADED, REFUSED -> ProblemCode.BUSY;
        };
        LOG.warn("refused for now: {}", failure.getMessage());
        return new Problem(code, "nothing was done; send the same request again").retryAfter(Duration.ofSeconds(1));
    }

    /** Details are for the log alone; the incident number finds them there, and the trace shows what led to them. */
    Problem internal(Throwable failure, String method, String path) {
        String incident = ids.next().toString();
        LoggingEventBuilder entry = LOG.atError().setCause(failure);
        SpanContext span = Span.current().getSpanContext();
        if (span.isValid()) {
            entry = entry.addKeyValue("trace_id", span.getTraceId());
        }
        entry.log("incident {}: {} {} failed", incident, method, path);
        return new Problem(ProblemCode.INTERNAL_ERROR, "tell the operator of this server the incident")
                .with("incident", Json.of(incident));
    }
}
