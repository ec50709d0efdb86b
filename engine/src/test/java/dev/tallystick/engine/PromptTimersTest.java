package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Priority;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.JsonCodec;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.Submission;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is due at a certain moment is done then, and not at the next look: these engines look once in an hour. */
class PromptTimersTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final EngineSettings HARDLY_LOOKING = Workbench.SETTINGS.poll(Duration.ofHours(1));
    private static final Duration SHORT = Duration.ofMillis(10);

    private final GraphBench bench = new GraphBench(postgres.dataSource());
    private final Workbench workbench = bench.workbench();

    @AfterEach
    void close() {
        bench.close();
    }

    private Engine start() {
        return workbench.start(workbench.database(), HARDLY_LOOKING, CrashPoints.NONE);
    }

    @Test
    void a_sleep_ends_when_it_is_over() {
        workbench.workflow("sleepy", (ctx, input) -> {
            ctx.sleep(SHORT);
            ctx.sleep(SHORT);
            return "awake";
        });
        Engine engine = start();

        Closed closed = workbench.await(engine, workbench.submit(engine, "sleepy", "k"));

        assertThat(closed.outcome()).isEqualTo(JobOutcome.COMPLETED);
    }

    @Test
    void a_sleep_that_a_dead_engine_began_ends_when_it_is_over() {
        workbench.workflow("sleepy", (ctx, input) -> {
            ctx.sleep(Duration.ofSeconds(1));
            return "awake";
        });
        Engine engine = start();
        JobId job = workbench.submit(engine, "sleepy", "k");
        Eventually.holds("it is parked", () -> workbench.count("posting where visible_at = 'infinity'") == 1);
        workbench.kill(engine);

        Engine next = start();

        assertThat(workbench.await(next, job).outcome()).isEqualTo(JobOutcome.COMPLETED);
    }

    @Test
    void a_job_that_may_not_begin_before_a_moment_begins_at_it() {
        workbench.workflow("later", (ctx, input) -> input);
        Engine engine = start();
        Submission delayed = new Submission(
                "default",
                "later",
                new JsonCodec().encode("x"),
                null,
                null,
                Priority.DEFAULT,
                Duration.ofMillis(1_100));

        JobId job = ((Accepted.Fresh) engine.submit(delayed).join()).job();

        assertThat(workbench.await(engine, job).outcome()).isEqualTo(JobOutcome.COMPLETED);
    }

    @Test
    void the_timers_and_retries_of_a_graph_are_done_when_they_are_due() {
        AtomicInteger attempts = new AtomicInteger();
        Engine engine = start();
        engine.worker("failing", Object.class, (work, input) -> {
            if (attempts.incrementAndGet() < 3) {
                throw new IllegalStateException("not yet");
            }
            return "done";
        });
        engine.register(Graph.named("timed")
                .trigger("start")
                .timer("wait", SHORT)
                .worker("work", "failing", "1", Retry.DEFAULT.waiting(SHORT, SHORT))
                .from("start", "wait")
                .from("wait", "work")
                .output("work")
                .build());

        assertThat(bench.result(bench.run(engine, "timed", Map.of()))).isEqualTo("done");
    }
}
