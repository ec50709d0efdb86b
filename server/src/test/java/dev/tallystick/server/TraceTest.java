package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.client.TallyClient;
import dev.tallystick.client.Worker;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.server.http.Limits;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.WorkflowProvider;
import dev.tallystick.workflow.WorkflowType;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** One trace from the submission to the last worker, over HTTP and across restarts. */
class TraceTest {

    private static final String SECRET = "a-name-that-no-one-else-may-see";
    private static final String KEY = "trace-key-1";

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

    @TempDir
    Path data;

    /** Does a step here, has one done by a worker, and does another one here. */
    public static final class Welcome implements WorkflowProvider {

        @Override
        public List<WorkflowType<?, ?>> workflows() {
            return List.of(WorkflowType.of("welcome", String.class, String.class, (ctx, name) -> {
                ctx.step("prepare", String.class, () -> "flowers");
                String greeting = ctx.child("sample.greeting", name, String.class);
                return ctx.step("thank", String.class, () -> greeting + ", thank you");
            }));
        }
    }

    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final OpenTelemetrySdk openTelemetry = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                    .build())
            .build();
    private @Nullable TallyServer server;

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
        openTelemetry.close();
    }

    private TallyServer start(boolean traced) {
        ServerSettings settings = ServerUnderTest.settings(postgres.url(), data);
        TallyServer started = TallyServer.start(
                traced ? settings.withOpenTelemetry(openTelemetry) : settings, Limits.DEFAULT, CrashPoints.NONE);
        server = started;
        return started;
    }

    private Http admin() {
        return new Http(Objects.requireNonNull(server).address(), ServerUnderTest.adminToken(data));
    }

    private TallyClient client() {
        return new TallyClient(admin().server(), admin().token());
    }

    /** Submits under a span of the caller's own. */
    private UUID submit(TallyClient client, String workflow, Json input, String key) {
        Span span = openTelemetry.getTracer("shop").spanBuilder("check out").startSpan();
        try (Scope current = span.makeCurrent()) {
            return client.submit(TallyClient.NewJob.of(workflow, input), new IdempotencyKey(key))
                    .job();
        } finally {
            span.end();
        }
    }

    private SpanData await(String name, Predicate<SpanData> which) {
        return Eventually.value(
                        "a span '" + name + "'",
                        () -> exporter.getFinishedSpanItems().stream()
                                .filter(span -> span.getName().equals(name))
                                .filter(which)
                                .toList(),
                        found -> !found.isEmpty())
                .getFirst();
    }

    private SpanData await(String name) {
        return await(name, span -> true);
    }

    private SpanData childOf(SpanData parent, String name) {
        SpanData child = await(name, span -> span.getParentSpanId().equals(parent.getSpanId()));
        assertThat(child.getTraceId()).isEqualTo(parent.getTraceId());
        return child;
    }

    private static @Nullable String text(SpanData span, String attribute) {
        return span.getAttributes().get(AttributeKey.stringKey(attribute));
    }

    @Test
    void a_job_is_one_trace_from_the_caller_to_the_last_worker_over_a_restart() {
        WorkflowJar.write(data, Welcome.class);
        start(true);
        UUID job = submit(client(), "welcome", Json.of(SECRET), KEY);
        SpanData caller = await("check out");
        SpanData request = childOf(caller, "POST /v1/jobs");
        SpanData accepted = childOf(request, "accept workflow");
        SpanData run = childOf(accepted, "run welcome");
        childOf(run, "step prepare");
        Objects.requireNonNull(server).close();

        start(true);
        AtomicReference<@Nullable String> seen = new AtomicReference<>();
        Json result;
        URI address = admin().server();
        String token = admin().token();
        TallyClient client = new TallyClient(address, token).withOpenTelemetry(openTelemetry);
        try (Worker worker = Worker.start(client, "sample.greetings", 1, work -> {
            seen.set(Span.current().getSpanContext().getTraceId());
            return Json.of("hello " + work.input());
        })) {
            result = Objects.requireNonNull(
                    client().result(job, TallyClient.PATIENCE).output());
        }

        SpanData handed = childOf(run, "hand out greet");
        SpanData worked = childOf(handed, "work greet");
        SpanData brought = childOf(worked, "POST /v1/workers/{topic}/result");
        SpanData resumed = await("run welcome", span -> "completed".equals(text(span, "tallystick.outcome")));
        assertThat(resumed.getParentSpanId()).isEqualTo(accepted.getSpanId());
        assertThat(childOf(resumed, "step thank").getTraceId()).isEqualTo(caller.getTraceId());
        assertThat(seen.get()).isEqualTo(caller.getTraceId());
        assertThat(result.toString()).contains("hello");
        assertThat(List.of(request, brought)).extracting(SpanData::getKind).containsOnly(SpanKind.SERVER);
        assertThat(request.getAttributes().get(AttributeKey.longKey("http.response.status_code")))
                .isEqualTo(201);
        assertThat(text(request, "http.route")).isEqualTo("/v1/jobs");
        assertThat(text(accepted, "tallystick.message")).isEqualTo(job.toString());
        assertThat(exporter.getFinishedSpanItems().toString())
                .as("no payload, no token, no key")
                .doesNotContain(SECRET)
                .doesNotContain(admin().token())
                .doesNotContain(KEY);
    }

    @Test
    void a_message_is_accepted_in_the_trace_of_its_sender() {
        start(true);
        admin().put("/v1/topics/alerts", "{}");
        Http.Reply sent = admin().post(
                        "/v1/messages",
                        "{\"to\":\"topic:alerts\",\"message\":\"" + SECRET + "\"}",
                        "Idempotency-Key",
                        KEY,
                        "traceparent",
                        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");

        SpanData accepted = await("accept topic");
        assertThat(accepted.getTraceId()).isEqualTo("4bf92f3577b34da6a3ce929d0e0e4736");
        assertThat(text(accepted, "tallystick.message")).isEqualTo(sent.text("message_id"));
        assertThat(text(accepted, "tallystick.acceptance")).isEqualTo("accepted");
    }

    @Test
    void what_is_no_trace_context_begins_a_new_trace_and_is_not_refused() {
        start(true);
        String[] wrong = {
            "nonsense", "00-" + "0".repeat(32) + "-00f067aa0ba902b7-01", "ff-4bf92f3577b34da6a3ce929d0e0e4736"
        };
        for (String each : wrong) {
            Http.Reply reply = admin().post(
                            "/v1/jobs",
                            "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"1\"}}",
                            "Idempotency-Key",
                            "k" + each.length(),
                            "traceparent",
                            each);

            assertThat(reply.status()).as(reply.body()).isEqualTo(201);
            SpanData accepted =
                    await("accept workflow", span -> reply.text("job_id").equals(text(span, "tallystick.message")));
            SpanData request = await("POST /v1/jobs", span -> span.getSpanId().equals(accepted.getParentSpanId()));
            assertThat(request.getParentSpanContext().isValid()).isFalse();
        }
    }

    @Test
    void a_refusal_is_told_by_its_status_and_a_probe_makes_no_span() {
        start(true);
        URI address = admin().server();
        new Http(address, "nonsense").get("/v1/jobs");
        admin().get("/health/live");
        admin().get("/v1/nowhere");

        SpanData refused = await("GET /v1/jobs");
        assertThat(refused.getAttributes().get(AttributeKey.longKey("http.response.status_code")))
                .isEqualTo(401);
        assertThat(exporter.getFinishedSpanItems()).containsExactly(refused);
    }

    @Test
    void an_incident_is_an_error_in_its_trace_and_the_log_names_the_trace() throws SQLException {
        start(true);
        try (Connection connection = postgres.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("drop table tally.task cascade");
        }
        PrintStream before = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try {
            assertThat(admin().get("/v1/tasks").code()).isEqualTo("internal_error");
        } finally {
            System.setErr(before);
        }

        SpanData failed = await("GET /v1/tasks");
        assertThat(failed.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(text(failed, "error.type")).isEqualTo("500");
        assertThat(log.toString(StandardCharsets.UTF_8)).contains("trace_id=" + failed.getTraceId());
    }

    @Test
    void a_server_that_does_not_trace_makes_no_span_and_still_hands_the_trace_on() {
        start(false);
        UUID job = submit(client(), "sample.greeting", Json.of("ann"), KEY);
        AtomicReference<@Nullable String> seen = new AtomicReference<>();
        try (Worker worker = Worker.start(client(), "sample.greetings", 1, work -> {
            seen.set(Span.current().getSpanContext().getSpanId());
            return Json.of("hello");
        })) {
            assertThat(client().result(job, TallyClient.PATIENCE).status()).isEqualTo("completed");
        }

        assertThat(seen.get()).isEqualTo(await("check out").getSpanId());
        assertThat(exporter.getFinishedSpanItems()).hasSize(1);
    }
}
