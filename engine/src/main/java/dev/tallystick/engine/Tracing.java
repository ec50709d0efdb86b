package dev.tallystick.engine;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes spans, and writes down where they belong: as the header {@code traceparent} has it (W3C), which is also how a trace context
 * is kept with a job. A span says what was done, for which job and how that ended; it never has a payload, a key, a token or the
 * message of a failure, for those are not for whoever keeps traces. Thread-safe.
 */
public final class Tracing {

    /** Nobody traces. */
    public static final Tracing OFF = new Tracing(OpenTelemetry.noop(), false);

    private static final String SCOPE = "dev.tallystick";
    private static final String ERROR_TYPE = "error.type";
    private static final String HEADER = "traceparent";

    private final Tracer tracer;
    private final boolean on;

    private Tracing(OpenTelemetry telemetry, boolean on) {
        this.tracer = telemetry.getTracer(SCOPE);
        this.on = on;
    }

    public static Tracing with(OpenTelemetry telemetry) {
        return telemetry.equals(OpenTelemetry.noop()) ? OFF : new Tracing(telemetry, true);
    }

    /** Whether anybody traces. If not, nothing is to be made, looked up or kept for the sake of spans. */
    public boolean isOn() {
        return on;
    }

    /** A span that is yet to be started; a child of the one that is current, unless said otherwise. */
    public SpanBuilder span(String name, SpanKind kind) {
        return tracer.spanBuilder(name).setSpanKind(kind);
    }

    /** Where children of the current span belong; null if there is none, or nobody traces. */
    public @Nullable String current() {
        return on ? traceParent(Span.current()) : null;
    }

    /** Where children of a span belong. */
    public static @Nullable String traceParent(Span span) {
        SpanContext context = span.getSpanContext();
        return context.isValid()
                ? "00-" + context.getTraceId() + "-" + context.getSpanId() + "-"
                        + context.getTraceFlags().asHex()
                : null;
    }

    /** The context for children of what was written down. Nothing, or what cannot be read, begins a trace of its own. */
    public static Context context(@Nullable String traceParent) {
        return traceParent == null
                ? Context.root()
                : W3CTraceContextPropagator.getInstance().extract(Context.root(), traceParent, new Written());
    }

    /** Some work that may fail in one way. */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object, X extends Exception> {
        T call() throws X;
    }

    /** Does the work as the span, which is current meanwhile and ends with it. */
    @SuppressWarnings("try") // that it is closed is all that the scope is for
    public static <T extends @Nullable Object, X extends Exception> T within(Span span, Work<T, X> work) throws X {
        try (Scope current = span.makeCurrent()) {
            return work.call();
        } catch (BodyStopped stopped) {
            span.setAttribute("tallystick.stopped", stopped.reason().text());
            throw stopped;
        } catch (Throwable e) {
            failed(span, e.getClass().getName());
            throw e;
        } finally {
            span.end();
        }
    }

    /**
     * The span has failed.
     *
     * @param type a kind of failure, of which there are few: not a message
     */
    public static void failed(Span span, String type) {
        span.setStatus(StatusCode.ERROR);
        span.setAttribute(ERROR_TYPE, type);
    }

    /** Reads the one header that was kept. */
    private record Written() implements TextMapGetter<String> {

        @Override
        @SuppressWarnings("deprecation") // applications may hold us to an older OpenTelemetry, which asks for it
        public Iterable<String> keys(String traceParent) {
            return List.of(HEADER);
        }

        @Override
        public @Nullable String get(@Nullable String traceParent, String name) {
            return name.equals(HEADER) ? traceParent : null;
        }
    }
}
