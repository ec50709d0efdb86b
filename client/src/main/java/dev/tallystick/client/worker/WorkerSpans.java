package dev.tallystick.client.worker;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The spans of a worker: one for each piece of work, in the trace of its job. They contain no payload and no failure message.
 * Without tracing, the span of the work's sender is current instead, so that the handler's own calls still belong to the trace.
 */
final class WorkerSpans {

    private static final String HEADER = "traceparent";

    private final Tracer tracer;
    private final String topic;

    WorkerSpans(OpenTelemetry telemetry, String topic) {
        this.tracer = telemetry.getTracer("dev.tallystick.client");
        this.topic = topic;
    }

    Span begin(Worker.Work work) {
        return tracer.spanBuilder("work " + work.activity())
                .setSpanKind(SpanKind.CONSUMER)
                .setParent(W3CTraceContextPropagator.getInstance().extract(Context.root(), work, new Handed()))
                .setAttribute("tallystick.job", work.job().toString())
                .setAttribute("tallystick.step", work.activity())
                .setAttribute("tallystick.topic", topic)
                .setAttribute("tallystick.attempt", work.attempt())
                .startSpan();
    }

    static void failed(Span span, Throwable e) {
        span.setStatus(StatusCode.ERROR);
        span.setAttribute("error.type", e.getClass().getName());
    }

    private record Handed() implements TextMapGetter<Worker.Work> {

        @Override
        @SuppressWarnings("deprecation") // applications may hold us to an older OpenTelemetry, which asks for it
        public Iterable<String> keys(Worker.Work work) {
            return List.of(HEADER);
        }

        @Override
        public @Nullable String get(Worker.@Nullable Work work, String name) {
            return work != null && name.equals(HEADER) ? work.traceParent() : null;
        }
    }
}
