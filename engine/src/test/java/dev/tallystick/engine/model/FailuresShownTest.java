package dev.tallystick.engine.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.StackTraces;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.GraphBench;
import dev.tallystick.engine.Reversed;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.run.RemoteWork;
import dev.tallystick.engine.view.JobEvents;
import dev.tallystick.engine.view.JobReader;
import dev.tallystick.engine.view.Why;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.JsonCodec;
import dev.tallystick.workflow.LastError;
import dev.tallystick.workflow.Retry;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What failed, and why, can be read from the database: in one line and as a stack trace. */
class FailuresShownTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final Retry SLOW = Retry.DEFAULT.waiting(Duration.ofHours(1), Duration.ofHours(1));
    private static final Retry QUICK = Retry.DEFAULT.attempts(2).waiting(Duration.ofMillis(1), Duration.ofMillis(1));

    private Workbench workbench;

    @BeforeEach
    void open() {
        workbench = new Workbench(postgres.dataSource());
    }

    @AfterEach
    void close() {
        workbench.close();
    }

    private static String boom() {
        throw new IllegalStateException("no stock", new IllegalArgumentException("shelf 7 is empty"));
    }

    @Test
    void while_a_step_waits_for_its_next_attempt_why_says_when_and_what_failed() {
        workbench.workflow("slow", (ctx, input) -> ctx.step("reserve", String.class, SLOW, FailuresShownTest::boom));
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "slow", "key");

        Eventually.holds("the failure is shown", () -> mover(engine, job).contains("no stock"));

        assertThat(mover(engine, job))
                .startsWith("attempt 2, at ")
                .contains("; attempt 1 failed: java.lang.IllegalStateException: no stock");
        assertThat(lastError(job).error()).isEqualTo("java.lang.IllegalStateException: no stock");
    }

    @Test
    void a_job_whose_step_failed_keeps_the_stack_trace_with_all_causes() {
        workbench.workflow("doomed", (ctx, input) -> ctx.step("reserve", String.class, QUICK, FailuresShownTest::boom));
        Engine engine = workbench.start();

        JobId job = workbench.submit(engine, "doomed", "key");
        workbench.await(engine, job);

        LastError last = lastError(job);
        assertThat(last.activity()).isEqualTo("reserve");
        assertThat(last.stackTrace())
                .startsWith("java.lang.IllegalStateException: no stock\n\tat " + FailuresShownTest.class.getName()
                        + ".boom(")
                .contains("\nCaused by: java.lang.IllegalArgumentException: shelf 7 is empty\n\tat ");
    }

    @Test
    void a_body_that_throws_keeps_its_stack_trace() {
        workbench.workflow("broken", (ctx, input) -> boom());
        Engine engine = workbench.start();

        JobId job = workbench.submit(engine, "broken", "key");
        workbench.await(engine, job);

        assertThat(lastError(job).activity()).isEqualTo(ActivityId.MAIN);
        assertThat(lastError(job).stackTrace()).contains("FailuresShownTest.boom(");
    }

    @Test
    void the_event_of_a_failed_step_says_so() {
        workbench.workflow("half", (ctx, input) -> {
            ctx.step("good", String.class, () -> "done");
            return ctx.step("bad", String.class, QUICK, FailuresShownTest::boom);
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "half", "key");
        workbench.await(engine, job);

        List<String> events = new JobEvents(workbench.database())
                .read("default", job, JobEvents.BEGINNING, 100).stream()
                        .filter(event -> event.path() != null && !event.path().isEmpty())
                        .map(event -> event.event() + " " + event.name() + " " + event.error())
                        .toList();

        assertThat(events)
                .contains("returned good null", "failed bad java.lang.IllegalStateException: no stock")
                .noneMatch(event -> event.startsWith("returned bad"));
    }

    @Test
    void an_attempt_that_failed_is_no_longer_shown_once_the_step_has_succeeded() {
        AtomicInteger begun = new AtomicInteger();
        workbench.workflow("flaky", (ctx, input) -> {
            ctx.step("reserve", String.class, QUICK, () -> begun.incrementAndGet() == 1 ? boom() : "done");
            return ctx.await("go", String.class);
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "flaky", "key");
        workbench.awaitParked();

        assertThat(reader().lastError("default", job)).isEmpty();
        workbench.signal(engine, job, "go");
        assertThat(workbench.await(engine, job).outcome()).isEqualTo(JobOutcome.COMPLETED);
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void a_branch_that_lost_is_no_failure_of_its_job() {
        workbench.workflow(
                "race",
                (ctx, input) -> ctx.any(
                        String.class, List.of(branch -> "first", branch -> branch.await("never", String.class))));
        Engine engine = workbench.start();

        JobId job = workbench.submit(engine, "race", "key");
        workbench.await(engine, job);

        assertThat(workbench.count("activity where error is not null")).isPositive();
        assertThat(reader().lastError("default", job)).isEmpty();
    }

    @Test
    void while_the_next_attempt_runs_why_says_why_the_last_one_failed() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        CountDownLatch second = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        workbench.workflow(
                "stuck",
                (ctx, input) -> ctx.step("reserve", String.class, QUICK, () -> {
                    if (begun.incrementAndGet() == 1) {
                        return boom();
                    }
                    second.countDown();
                    end.await();
                    return "done";
                }));
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "stuck", "key");
        second.await();

        assertThat(mover(engine, job))
                .startsWith("the end of attempt 2, ")
                .endsWith("; the last one failed: java.lang.IllegalStateException: no stock");
        end.countDown();
        workbench.await(engine, job);
    }

    @Test
    void a_stack_trace_is_stored_as_the_codec_says() {
        workbench.close();
        workbench = new Workbench(postgres.dataSource(), new Reversed(new JsonCodec()));
        workbench.workflow("doomed", (ctx, input) -> ctx.step("reserve", String.class, QUICK, FailuresShownTest::boom));
        Engine engine = workbench.start();

        JobId job = workbench.submit(engine, "doomed", "key");
        workbench.await(engine, job);

        assertThat(workbench.count("activity where position('shelf'::bytea in stack_trace) > 0"))
                .isZero();
        assertThat(new JobReader(workbench.database(), new Reversed(new JsonCodec()))
                        .lastError("default", job)
                        .orElseThrow()
                        .stackTrace())
                .contains("shelf 7");
        assertThat(lastError(job).stackTrace()).isNull();
    }

    @Test
    void r25_the_codec_reads_a_stack_trace_when_no_transaction_is_open_and_may_throw_what_it_likes() {
        workbench.workflow("doomed", (ctx, input) -> ctx.step("reserve", String.class, QUICK, FailuresShownTest::boom));
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "doomed", "key");
        workbench.await(engine, job);
        List<Long> open = new ArrayList<>();
        JobReader reader = new JobReader(workbench.database(), new Codec() {
            @Override
            public byte[] encode(@Nullable Object value) {
                throw new AssertionError("nothing is written here");
            }

            @Override
            @SuppressWarnings("TypeParameterUnusedInFormals")
            public <T extends @Nullable Object> T decode(byte[] bytes, Type type) {
                open.add(workbench.count(
                        "job, pg_stat_activity where state = 'idle in transaction' and query like '%a.stack_trace%'"));
                throw new NoClassDefFoundError("planted");
            }
        });

        assertThat(reader.lastError("default", job).orElseThrow().stackTrace()).isNull();
        assertThat(open).containsExactly(0L);
    }

    @Test
    void work_of_a_graph_keeps_what_it_failed_with() {
        try (GraphBench bench = new GraphBench(postgres.dataSource(), new JsonCodec())) {
            bench.graph(Graph.named("drawn")
                    .trigger("start")
                    .worker("reserve", "reserve", "input", QUICK)
                    .from("start", "reserve")
                    .build());
            bench.worker("reserve", (work, input) -> boom());
            Engine engine = bench.start();

            Closed closed = bench.run(engine, "drawn", Map.of());

            assertThat(closed.error()).contains("no stock");
            assertThat(lastError(closed.job()).activity()).isEqualTo("reserve");
            assertThat(lastError(closed.job()).stackTrace()).contains("FailuresShownTest.boom(", "shelf 7 is empty");
        }
    }

    @Test
    void what_a_remote_worker_reports_is_shown_while_its_work_waits() {
        try (GraphBench bench = new GraphBench(postgres.dataSource(), new JsonCodec())) {
            bench.graph(Graph.named("far")
                    .trigger("start")
                    .topic("reserve", "far", "1", SLOW)
                    .from("start", "reserve")
                    .build());
            Engine engine = bench.start();
            JobId job = bench.submit(engine, "far", Map.of());
            RemoteWork.Handle work = Eventually.value(
                            "there is work",
                            () -> engine.remoteWork().claim("default", "far", "worker", 1),
                            claimed -> !claimed.isEmpty())
                    .getFirst()
                    .handle();

            engine.remoteWork()
                    .fail("default", "far", "worker", work, "no stock", "Traceback:\n" + "x".repeat(50_000), false);

            assertThat(mover(engine, job)).startsWith("attempt 2, at ").contains("the last one failed: no stock");
            assertThat(lastError(job).error()).isEqualTo("no stock");
            assertThat(lastError(job).stackTrace())
                    .startsWith("Traceback:\nxxx")
                    .hasSize(StackTraces.MAX_LENGTH);
        }
    }

    private static String mover(Engine engine, JobId job) {
        List<Why.Wait> waits = engine.why("default", job).waits();
        return waits.isEmpty() ? "" : waits.getFirst().mover();
    }

    private LastError lastError(JobId job) {
        return reader().lastError("default", job).orElseThrow();
    }

    private JobReader reader() {
        return new JobReader(workbench.database(), new JsonCodec());
    }
}
