package dev.tallystick.engine.model;

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
 * Creates spans, and writes down their parents in the format of the {@code traceparent} header (W3C), in which a trace context
 * is also stored with a job. A span says what was done, for which job and how that ended. It never contains a payload, a key, a
 * token or an error message, because the operators of a tracing backend must not see those. Thread-safe.
 */
public final class Tracing {

    /** Tracing is off. */
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

    /** Whether tracing is on. If not, create, look up and store nothing for spans. */
    public boolean isOn() {
        return on;
    }

    /** A span that has not been started; by default a child of the current one. */
    public SpanBuilder span(String name, SpanKind kind) {
        return tracer.spanBuilder(name).setSpanKind(kind);
    }

    /** The parent for children of the current span; null if there is none or tracing is off. */
    public @Nullable String current() {
        return on ? traceParent(Span.current()) : null;
    }

    /** The parent for children of a span. */
    public static @Nullable String traceParent(Span span) {
        SpanContext context = span.getSpanContext();
        return context.isValid()
                ? "00-" + context.getTraceId() + "-" + context.getSpanId() + "-"
                        + context.getTraceFlags().asHex()
                : null;
    }

    /** The context for children of a stored parent. If it is null or unreadable, they begin a new trace. */
    public static Context context(@Nullable String traceParent) {
        return traceParent == null
                ? Context.root()
                : W3CTraceContextPropagator.getInstance().extract(Context.root(), traceParent, new Written());
    }

    /** Work that may throw one type of exception. */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object, X extends Exception> {
        T call() throws X;
    }

    /** Runs the work inside the span, which is current meanwhile and ends with it. */
    @SuppressWarnings("try") // the scope exists only to be closed
    public static <T extends @Nullable Object, X extends Exception> T within(Span span, Work<T, X> work) throws X {
        try (Scope current = span.makeCurrent()) {
            return work.call();
        } catch (ExecutionStopped stopped) {
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
     * Marks the span as failed.
     *
     * @param type a kind of failure from a small set, not a message
     */
    public static void failed(Span span, String type) {
        span.setStatus(StatusCode.ERROR);
        span.setAttribute(ERROR_TYPE, type);
    }

    /** Reads the one header that was stored. */
    private record Written() implements TextMapGetter<String> {

        @Override
        @SuppressWarnings("deprecation") // applications may pin an older OpenTelemetry that still calls it
        public Iterable<String> keys(String traceParent) {
            return List.of(HEADER);
        }

        @Override
        public @Nullable String get(@Nullable String traceParent, String name) {
            return name.equals(HEADER) ? traceParent : null;
        }
    }
}
