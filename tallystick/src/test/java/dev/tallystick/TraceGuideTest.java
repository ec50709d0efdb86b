package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The Java of the guide about traces, as far as the library goes. */
class TraceGuideTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perClass();

    @Test
    void a_job_of_the_library_is_in_the_trace_of_whoever_submits_it() throws Exception {
        InMemorySpanExporter seen = InMemorySpanExporter.create();
        DataSource dataSource = postgres.dataSource();
        try (OpenTelemetrySdk openTelemetry = OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .addSpanProcessor(SimpleSpanProcessor.create(seen))
                        .build())
                .build()) {
            String result = checkOut(dataSource, openTelemetry);

            assertThat(result).isEqualTo("charged 42");
            List<SpanData> spans =
                    Eventually.value("three spans", seen::getFinishedSpanItems, found -> found.size() == 3);
            assertThat(spans).extracting(SpanData::getName).contains("check out", "run order", "step charge");
            assertThat(spans)
                    .extracting(SpanData::getTraceId)
                    .containsOnly(spans.getFirst().getTraceId());
        }
    }

    private static String checkOut(DataSource dataSource, OpenTelemetry openTelemetry) throws Exception {
        Builder builder = Tallystick.builder().dataSource(dataSource).openTelemetry(openTelemetry);
        try (Tallystick tally = builder.build()) {
            tally.register(
                    "order",
                    String.class,
                    String.class,
                    (ctx, order) -> ctx.step("charge", String.class, () -> "charged " + order));
            tally.start();
            Tracer tracer = openTelemetry.getTracer("shop");
            Span span = tracer.spanBuilder("check out").startSpan();
            try (Scope current = span.makeCurrent()) {
                JobHandle<String> job = tally.submit("order", "42", Submit.key("web-1:42"));
                return job.result(Duration.ofSeconds(30));
            } finally {
                span.end();
            }
        }
    }
}
