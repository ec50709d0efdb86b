package dev.tallystick.engine.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.SeenSpans;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphYaml;
import dev.tallystick.engine.graph.run.RemoteWork;
import dev.tallystick.engine.model.Tracing;
import dev.tallystick.keys.KeyRetention;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.JobId;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class TracingTest {

    private static final String SECRET = "the-input-that-no-one-else-may-see";

    private static final Graph GREETING = GraphYaml.read("greeting.yaml", """
            workflow: greeting
            version: 1

            nodes:
              asked:
                kind: trigger
                next: look_up

              look_up:
                kind: worker
                worker: look-up
                input: input
                next: greet

              greet:
                kind: worker
                topic: greetings
                input: input

            output: greet
            """);

    private static final Graph CEREMONY = GraphYaml.read("ceremony.yaml", """
            workflow: ceremony
            version: 1

            nodes:
              asked:
                kind: trigger
                next: hello

              hello:
                kind: await
                workflow: greeting
                input: input
            """);

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private final SeenSpans spans = new SeenSpans();
    private final AtomicInteger attempts = new AtomicInteger();
    private Workbench workbench;

    @BeforeEach
    void open() {
        workbench = Workbench.withOldIds(postgres.dataSource());
        workbench.workflow("order", (ctx, input) -> {
            String reserved = ctx.step("reserve", String.class, () -> "reserved");
            ctx.await("go", String.class);
            return ctx.step("charge", String.class, () -> reserved + " and charged");
        });
        workbench.workflow(
                "stubborn",
                (ctx, input) -> ctx.step("try", String.class, () -> {
                    if (attempts.incrementAndGet() < 3) {
                        throw new IllegalStateException("no: " + SECRET);
                    }
                    return "yes";
                }));
        workbench.workflow("doomed", (ctx, input) -> {
            throw new IllegalArgumentException(input);
        });
        workbench.workflow(
                "parent",
                (ctx, input) -> String.join(
                        " ",
                        ctx.all(
                                String.class,
                                List.of(
                                        branch -> branch.step("left", String.class, () -> "l"),
                                        branch -> branch.child("leaf", input, String.class)))));
        workbench.workflow("leaf", (ctx, input) -> ctx.step("pluck", String.class, () -> "p"));
    }

    @AfterEach
    void close() {
        workbench.close();
        spans.close();
    }

    private Engine start() {
        return start(engine -> {});
    }

    private Engine start(Consumer<Engine> more) {
        return workbench.start(
                workbench.database(), Workbench.SETTINGS.tracing(spans.tracing()), CrashPoints.NONE, engine -> {
                    workbench.registerAll(engine);
                    more.accept(engine);
                });
    }

    private JobId submit(Engine engine, String workflow) {
        return spans.under(
                "caller", () -> workbench.submit(engine, workbench.submission(workflow, workflow + "-key", SECRET)));
    }

    private static String text(SpanData span, String attribute) {
        return Objects.requireNonNull(span.getAttributes().get(AttributeKey.stringKey(attribute)));
    }

    @Test
    void every_run_and_every_step_is_in_the_trace_of_the_submission_also_in_another_process() {
        Engine first = start();
        JobId job = submit(first, "order");
        spans.await("step reserve");
        workbench.awaitParked();
        workbench.kill(first);

        Engine second = start();
        workbench.signal(second, job, "go");
        workbench.await(second, job);

        List<SpanData> runs = spans.await("run order", 2);
        SpanData caller = spans.await("caller");
        assertThat(spans.all()).extracting(SpanData::getTraceId).containsOnly(caller.getTraceId());
        assertThat(runs).allSatisfy(run -> {
            assertThat(run.getParentSpanId()).isEqualTo(caller.getSpanId());
            assertThat(run.getKind()).isEqualTo(SpanKind.CONSUMER);
            assertThat(text(run, "tallystick.job")).isEqualTo(job.toString());
        });
        assertThat(text(runs.getFirst(), "tallystick.stopped")).isEqualTo("parked");
        assertThat(text(runs.getLast(), "tallystick.outcome")).isEqualTo("completed");
        assertThat(spans.await("step reserve").getParentSpanId())
                .isEqualTo(runs.getFirst().getSpanId());
        assertThat(spans.await("step charge").getParentSpanId())
                .isEqualTo(runs.getLast().getSpanId());
    }

    @Test
    void every_attempt_is_a_span_and_none_says_more_than_the_kind_of_its_failure() {
        Engine engine = start();
        workbench.await(engine, submit(engine, "stubborn"));
        workbench.await(engine, submit(engine, "doomed"));

        List<SpanData> tries = spans.await("step try", 3);
        SpanData doomed = spans.await("run doomed");
        assertThat(tries)
                .extracting(span -> span.getAttributes().get(AttributeKey.longKey("tallystick.attempt")))
                .containsExactly(1L, 2L, 3L);
        assertThat(tries)
                .extracting(span -> span.getStatus().getStatusCode())
                .containsExactly(StatusCode.ERROR, StatusCode.ERROR, StatusCode.UNSET);
        assertThat(text(tries.getFirst(), "error.type")).isEqualTo(IllegalStateException.class.getName());
        assertThat(text(doomed, "tallystick.outcome")).isEqualTo("failed");
        assertThat(doomed.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(spans.all().toString()).doesNotContain(SECRET).doesNotContain("-key");
    }

    @Test
    void branches_and_children_belong_to_the_run_that_began_them() {
        Engine engine = start();
        workbench.await(engine, submit(engine, "parent"));

        SpanData leaf = spans.await("run leaf");
        SpanData began = Eventually.value(
                        "the run that began the leaf has ended",
                        () -> spans.all().stream()
                                .filter(span -> span.getSpanId().equals(leaf.getParentSpanId()))
                                .toList(),
                        found -> !found.isEmpty())
                .getFirst();
        assertThat(began.getName()).isEqualTo("run parent");
        assertThat(spans.await("step left").getParentSpanId()).isEqualTo(began.getSpanId());
        assertThat(spans.await("step pluck").getParentSpanId()).isEqualTo(leaf.getSpanId());
    }

    @Test
    void the_nodes_of_a_graph_and_of_its_children_belong_to_what_it_was_submitted_with() {
        Engine engine = start(TracingTest::graphs);
        submit(engine, "ceremony");
        RemoteWork.Claimed claimed = claim(engine);

        SpanData caller = spans.await("caller");
        SpanData handed = spans.await("hand out greet");
        assertThat(spans.await("step look_up").getParentSpanId()).isEqualTo(caller.getSpanId());
        assertThat(handed.getParentSpanId()).isEqualTo(caller.getSpanId());
        assertThat(handed.getKind()).isEqualTo(SpanKind.PRODUCER);
        assertThat(claimed.traceParent()).startsWith("00-" + caller.getTraceId() + "-" + handed.getSpanId());
        assertThat(spans.all().toString()).doesNotContain(SECRET);
    }

    private static void graphs(Engine engine) {
        engine.register(GREETING);
        engine.register(CEREMONY);
        engine.worker("look-up", String.class, (work, input) -> "found");
    }

    private static RemoteWork.Claimed claim(Engine engine) {
        return Eventually.value(
                        "work for greetings",
                        () -> engine.remoteWork().claim("default", "greetings", "greeter", 1),
                        claimed -> !claimed.isEmpty())
                .getFirst();
    }

    @Test
    void a_job_that_nobody_traced_begins_a_trace_of_its_own() {
        Engine engine = start();
        workbench.await(engine, workbench.submit(engine, "leaf", "key"));

        SpanData run = spans.await("run leaf");
        assertThat(run.getParentSpanContext().isValid()).isFalse();
        assertThat(spans.await("step pluck").getTraceId()).isEqualTo(run.getTraceId());
    }

    @Test
    void a_rerun_is_in_the_trace_of_whoever_asked_for_it() {
        Engine engine = start();
        JobId job = submit(engine, "leaf");
        workbench.await(engine, job);
        JobId again = spans.under("operator", () -> engine.reruns().rerun("default", job));
        workbench.await(engine, again);

        SpanData operator = spans.await("operator");
        List<SpanData> runs = spans.await("run leaf", 2);
        assertThat(runs.getLast().getParentSpanId()).isEqualTo(operator.getSpanId());
        assertThat(text(runs.getLast(), "tallystick.job")).isEqualTo(again.toString());
    }

    @Test
    void a_trace_context_that_cannot_be_read_is_none() {
        for (String wrong : List.of("", "00", "zz-1-2-3", "00-" + "0".repeat(32) + "-00f067aa0ba902b7-01")) {
            assertThat(Tracing.traceParent(Span.fromContext(Tracing.context(wrong))))
                    .as(wrong)
                    .isNull();
        }
        String right = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assertThat(Tracing.traceParent(Span.fromContext(Tracing.context(right))))
                .isEqualTo(right);
    }

    @Test
    void while_nobody_traces_nothing_is_seen_and_nothing_is_kept() {
        Engine engine = workbench.start(workbench.database(), Workbench.SETTINGS, CrashPoints.NONE, registered -> {
            workbench.registerAll(registered);
            graphs(registered);
        });
        workbench.await(engine, submit(engine, "parent"));
        submit(engine, "greeting");

        assertThat(claim(engine).traceParent()).isNull();
        assertThat(workbench.count("job_trace")).isZero();
        assertThat(spans.all()).extracting(SpanData::getName).containsOnly("caller");
    }

    @Test
    void a_repeat_keeps_nothing_and_what_is_dropped_takes_its_trace_along() {
        Engine engine = start();
        for (int i = 0; i < 2; i++) {
            workbench.await(engine, submit(engine, "leaf"));
        }
        assertThat(workbench.count("job_trace")).isEqualTo(1);

        workbench
                .database()
                .transact("age", tx -> tx.update("update tally.job set closed_at = closed_at - interval '40 days'"));
        assertThat(new JobRetention(workbench.database(), KeyRetention.DEFAULT, Duration.ofDays(30)).sweep())
                .isEqualTo(1);
        assertThat(workbench.count("job_trace")).isZero();
    }
}
