package dev.tallystick.engine;

import dev.tallystick.engine.model.Tracing;
import dev.tallystick.testkit.Eventually;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.List;
import java.util.function.Supplier;

/** A tracer that keeps the spans it receives. */
public final class SeenSpans implements AutoCloseable {

    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                    .build())
            .build();

    public Tracing tracing() {
        return Tracing.with(sdk);
    }

    /** Runs something under a span of the caller's own, and returns its result. */
    public <T> T under(String name, Supplier<T> work) {
        Span span = sdk.getTracer("test").spanBuilder(name).startSpan();
        try (Scope current = span.makeCurrent()) {
            return work.get();
        } finally {
            span.end();
        }
    }

    public List<SpanData> all() {
        return exporter.getFinishedSpanItems();
    }

    List<SpanData> named(String name) {
        return all().stream().filter(span -> span.getName().equals(name)).toList();
    }

    /** The spans of this name, once there are so many. */
    public List<SpanData> await(String name, int number) {
        return Eventually.value(number + " spans '" + name + "'", () -> named(name), found -> found.size() == number);
    }

    public SpanData await(String name) {
        return await(name, 1).getFirst();
    }

    @Override
    public void close() {
        sdk.close();
    }
}
