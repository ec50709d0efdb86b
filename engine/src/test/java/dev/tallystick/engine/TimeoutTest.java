package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.Submission;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs and steps that must be done in time. */
class TimeoutTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Retry QUICK = Retry.DEFAULT.waiting(Duration.ofMillis(1), Duration.ofMillis(5));

    private final AtomicInteger begun = new AtomicInteger();

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    @Test
    void a_job_that_is_not_done_in_time_is_ended_by_a_transition_of_its_own() {
        workbench.workflow("slow", (ctx, input) -> ctx.await("never", String.class));
        Engine engine = workbench.start();
        JobId job = submit(engine, "slow", SHORT);

        Closed closed = workbench.await(engine, job);

        assertThat(closed.outcome()).isEqualTo(JobOutcome.TIMED_OUT);
        assertThat(closed.error()).isEqualTo("it was not done within its time-out");
        Eventually.value("all is acknowledged", workbench::violations, List::isEmpty);
        assertThat(workbench.guids(job)).contains(" $timeout 000111100000001 #0");
    }

    @Test
    void a_time_out_reaches_the_step_that_runs_and_the_children_that_are_open() {
        Signal stepBegun = new Signal("the step runs");
        Signal interrupted = new Signal("the step is interrupted");
        workbench.workflow(
                "stuck",
                (ctx, input) -> ctx.step("stuck", String.class, () -> {
                    stepBegun.fire();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupted.fire();
                        throw e;
                    }
                    return "";
                }));
        workbench.workflow("parent", (ctx, input) -> ctx.child("stuck", "", String.class));
        Engine engine = workbench.start();
        JobId job = submit(engine, "parent", Duration.ofMillis(500));
        stepBegun.await();

        assertThat(workbench.await(engine, job).outcome()).isEqualTo(JobOutcome.TIMED_OUT);
        interrupted.await();
        Eventually.value("the child has ended too", workbench::violations, List::isEmpty);
        assertThat(workbench.count("job where outcome = 'cancelled'")).isEqualTo(1);
    }

    @Test
    void a_job_that_is_done_in_time_leaves_no_time_out_behind() {
        workbench.workflow("quick", (ctx, input) -> ctx.step("quick", String.class, () -> "done"));
        workbench.workflow("parked", (ctx, input) -> ctx.await("go", String.class));
        Engine engine = workbench.start();

        JobId quick = submit(engine, "quick", Duration.ofHours(1));
        assertThat(workbench.result(workbench.await(engine, quick))).isEqualTo("done");
        JobId parked = submit(engine, "parked", Duration.ofHours(1));
        workbench.awaitParked();
        assertThat(engine.why("default", parked).text()).contains("it is ended if it is not done by");
        workbench.signal(engine, parked, "go");
        workbench.await(engine, parked);

        assertThat(workbench.count("posting")).isZero();
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void the_time_of_a_delayed_job_begins_after_its_delay() {
        workbench.workflow("delayed", (ctx, input) -> "done");
        Engine engine = workbench.start();
        Submission now = workbench.submission("delayed", "key", "input");
        Submission later = new Submission(
                        now.mesh(),
                        now.workflow(),
                        now.input(),
                        now.key(),
                        now.fingerprint(),
                        now.priority(),
                        Duration.ofHours(1))
                .timeout(Duration.ofHours(2));
        JobId job = workbench.submit(engine, later);

        assertThat(workbench.count("job where deadline > now() + interval '170 minutes'"))
                .isEqualTo(1);
        assertThat(engine.why("default", job).text()).contains("not before", "it is ended if");
    }

    @Test
    void a_time_out_that_comes_after_the_end_changes_nothing() {
        workbench.workflow("racing", (ctx, input) -> "done");
        Engine engine = workbench.start();
        for (int i = 0; i < 20; i++) {
            JobId job = workbench.submit(
                    engine, workbench.submission("racing", "key-" + i, "input").timeout(Duration.ofMillis(2)));
            assertThat(workbench.await(engine, job).outcome()).isIn(JobOutcome.COMPLETED, JobOutcome.TIMED_OUT);
        }
        Eventually.value("each ended once", workbench::violations, List::isEmpty);
        Eventually.holds("no time-out is left", () -> workbench.count("posting") == 0);
    }

    @Test
    void an_attempt_that_takes_too_long_is_interrupted_and_tried_again() {
        workbench.workflow(
                "hanging",
                (ctx, input) -> ctx.step("hanging", String.class, QUICK.timeout(SHORT), () -> {
                    if (begun.incrementAndGet() == 1) {
                        new CountDownLatch(1).await();
                    }
                    return "at last";
                }));
        Engine engine = workbench.start();

        assertThat(workbench.run(engine, "hanging")).isEqualTo("at last");
        assertThat(begun).hasValue(2);
    }

    @Test
    void a_step_that_takes_too_long_every_time_fails_and_says_so() {
        Retry twice = QUICK.attempts(2).timeout(SHORT);
        workbench.workflow(
                "hanging",
                (ctx, input) -> ctx.step("hanging", String.class, twice, () -> {
                    begun.incrementAndGet();
                    new CountDownLatch(1).await();
                    return "";
                }));
        Engine engine = workbench.start();

        Closed closed = workbench.await(engine, workbench.submit(engine, "hanging", "key"));

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("step 'hanging' failed", "it took longer than PT0.1S");
        assertThat(begun).hasValue(2);
    }

    @Test
    void an_attempt_that_returns_in_spite_of_its_interrupt_has_returned() {
        workbench.workflow("stubborn", (ctx, input) -> {
            String late = ctx.step("stubborn", String.class, QUICK.timeout(SHORT), () -> {
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    return "late";
                }
                return "";
            });
            return late
                    + ctx.step(
                            "next", String.class, () -> Thread.currentThread().isInterrupted() ? "!" : ".");
        });
        Engine engine = workbench.start();

        assertThat(workbench.run(engine, "stubborn")).isEqualTo("late.");
    }

    private JobId submit(Engine engine, String workflow, Duration timeout) {
        return workbench.submit(
                engine,
                workbench.submission(workflow, workflow + "-key", "input").timeout(timeout));
    }
}
