package dev.tallystick.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** R9: where undos are registered one obligation stays open to undo, and that closes the job. */
class UndoTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final Retry QUICK = Retry.DEFAULT.waiting(Duration.ofMillis(1), Duration.ofMillis(5));

    private final List<String> undone = new CopyOnWriteArrayList<>();

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    private void reserveAndCharge(Context ctx) {
        ctx.undo("release", () -> undone.add("release " + ctx.key()));
        ctx.step("reserve", String.class, () -> "");
        ctx.undo("refund", () -> undone.add("refund " + ctx.key()));
        ctx.step("charge", String.class, () -> "");
    }

    @Test
    void a_job_that_fails_takes_back_what_it_did_last_first_and_then_closes() {
        workbench.workflow("order", (ctx, input) -> {
            reserveAndCharge(ctx);
            throw new IllegalStateException("no parcel");
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "order", "key");

        Closed closed = workbench.await(engine, job);

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).isEqualTo("java.lang.IllegalStateException: no parcel");
        assertThat(undone).containsExactly("refund " + job + ":undo.3", "release " + job + ":undo.1");
        assertThat(workbench.guids(job))
                .contains(
                        " $main 000011000000001 #0", " $undo 000111100000001 #0", "undo.1 release 000011000000001 #0");
        assertThat(workbench.violations()).isEmpty();
        assertThat(engine.reruns().deadLetters("default", 10)).hasSize(1);
    }

    @Test
    void a_job_that_completes_undoes_nothing() {
        workbench.workflow("order", (ctx, input) -> {
            reserveAndCharge(ctx);
            return "done";
        });
        Engine engine = workbench.start();

        assertThat(workbench.run(engine, "order")).isEqualTo("done");
        assertThat(undone).isEmpty();
    }

    @Test
    void a_cancelled_job_takes_back_what_it_did_also_if_nobody_holds_it() {
        workbench.workflow("order", (ctx, input) -> {
            reserveAndCharge(ctx);
            return ctx.await("shipped", String.class);
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "order", "key");
        workbench.awaitParked();

        engine.cancel("default", job);

        assertThat(workbench.await(engine, job).outcome()).isEqualTo(JobOutcome.CANCELLED);
        assertThat(undone).hasSize(2);
        assertThat(workbench.guids(job)).contains(" $cancel 000011000000001 #0", " $undo 000111100000001 #0");
        Eventually.value("nothing is left", workbench::violations, List::isEmpty);
        assertThat(engine.reruns().deadLetters("default", 10)).isEmpty();
    }

    @Test
    void a_step_that_runs_when_the_job_is_cancelled_has_stopped_before_anything_is_undone() {
        Signal begun = new Signal("the step runs");
        workbench.workflow("order", (ctx, input) -> {
            ctx.undo("release", () -> undone.add("release"));
            return ctx.step("reserve", String.class, () -> {
                begun.fire();
                try {
                    new CountDownLatch(1).await();
                } finally {
                    undone.add("stopped");
                }
                return "";
            });
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "order", "key");
        begun.await();

        engine.cancel("default", job);

        assertThat(workbench.await(engine, job).outcome()).isEqualTo(JobOutcome.CANCELLED);
        assertThat(undone).containsExactly("stopped", "release");
        Eventually.value("nothing is left", workbench::violations, List::isEmpty);
    }

    @Test
    void a_job_that_runs_out_of_time_takes_back_what_it_did() {
        workbench.workflow("order", (ctx, input) -> {
            reserveAndCharge(ctx);
            return ctx.await("shipped", String.class);
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(
                engine, workbench.submission("order", "key", "input").timeout(Duration.ofMillis(300)));

        assertThat(workbench.await(engine, job).outcome()).isEqualTo(JobOutcome.TIMED_OUT);
        assertThat(undone).hasSize(2);
        Eventually.value("nothing is left", workbench::violations, List::isEmpty);
        assertThat(workbench.count("posting")).isZero();
        assertThat(engine.reruns().deadLetters("default", 10)).hasSize(1);
    }

    @Test
    void a_cancel_that_comes_while_a_job_is_undone_does_not_disturb_it() {
        Signal begun = new Signal("the undo runs");
        Signal cancelled = new Signal("the cancel was asked for");
        workbench.workflow("order", (ctx, input) -> {
            ctx.undo("first", () -> undone.add("first"));
            ctx.undo("second", () -> {
                begun.fire();
                cancelled.await();
                undone.add("second");
            });
            throw new IllegalStateException("no");
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "order", "key");
        begun.await();
        assertThat(engine.why("default", job).text()).contains("$undo, since", "takes back what the job has done");

        engine.cancel("default", job);
        Eventually.holds("the cancel is gone", () -> workbench.count("posting where name = '$cancel'") == 0);
        cancelled.fire();

        assertThat(workbench.await(engine, job).outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(undone).containsExactly("second", "first");
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void an_undo_is_tried_again_and_one_that_fails_for_good_does_not_keep_the_others_from_running() {
        workbench.workflow("order", (ctx, input) -> {
            ctx.undo("release", QUICK, () -> {
                undone.add("release");
                if (undone.size() < 4) {
                    throw new IllegalStateException("not yet");
                }
            });
            ctx.undo("refund", QUICK.attempts(2), () -> {
                undone.add("refund");
                throw new IllegalStateException("bank is closed");
            });
            return ctx.await("shipped", String.class);
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "order", "key");
        workbench.awaitParked();
        engine.cancel("default", job);

        Closed closed = workbench.await(engine, job);

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).startsWith("it was cancelled; not undone: ").contains("'refund' failed", "bank is");
        assertThat(undone).containsExactly("refund", "refund", "release", "release");
        assertThat(engine.reruns().deadLetters("default", 10)).hasSize(1);
    }

    @Test
    void what_branches_did_is_taken_back_also_by_those_that_lost_or_never_ended() {
        workbench.workflow("order", (ctx, input) -> {
            ctx.any(
                    String.class,
                    List.of(
                            branch -> {
                                branch.undo("slow", () -> undone.add("slow"));
                                branch.step("try", String.class, () -> "");
                                return branch.await("never", String.class);
                            },
                            branch -> {
                                branch.undo("quick", () -> undone.add("quick"));
                                return branch.await("go", String.class);
                            }));
            ctx.undo("after", () -> undone.add("after"));
            ctx.await("shipped", String.class);
            throw new IllegalStateException("no");
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "order", "key");
        workbench.awaitParked();
        workbench.signal(engine, job, "go");
        workbench.signal(engine, job, "shipped");

        workbench.await(engine, job);

        assertThat(undone).containsExactly("after", "quick", "slow");
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void a_failure_that_the_workflow_handles_undoes_nothing() {
        workbench.workflow("order", (ctx, input) -> {
            ctx.undo("release", () -> undone.add("release"));
            try {
                return ctx.step("reserve", String.class, Retry.NONE, () -> {
                    throw new IllegalStateException("no");
                });
            } catch (StepFailedException e) {
                return "another way";
            }
        });
        Engine engine = workbench.start();

        assertThat(workbench.run(engine, "order")).isEqualTo("another way");
        assertThat(undone).isEmpty();
    }

    @Test
    void an_undo_cannot_ask_its_context_for_more() {
        workbench.workflow("order", (ctx, input) -> {
            ctx.undo("nested", Retry.NONE, () -> ctx.step("inner", String.class, () -> ""));
            throw new IllegalStateException("no");
        });
        Engine engine = workbench.start();

        assertThat(workbench
                        .await(engine, workbench.submit(engine, "order", "key"))
                        .error())
                .contains("an undo is a step of its own and cannot ask its context for 'inner'");
    }

    @Test
    void a_job_that_was_undone_is_redriven_from_its_beginning_and_not_forked() {
        workbench.workflow("order", (ctx, input) -> {
            ctx.undo("release", () -> undone.add("release"));
            String reserved = ctx.step("reserve", String.class, () -> "shelf " + undone.size());
            if (undone.isEmpty()) {
                throw new IllegalStateException("no parcel");
            }
            return reserved;
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "order", "key");
        workbench.await(engine, job);

        assertThatThrownBy(() -> engine.reruns().fork("default", job, "reserve"))
                .hasMessageContaining("has undone its steps");
        JobId again = engine.reruns().redrive("default", job);

        assertThat(workbench.result(workbench.await(engine, again))).isEqualTo("shelf 1");
    }

    @Test
    void code_that_has_changed_is_undone_as_far_as_it_still_fits_and_the_job_says_so() {
        Engine before = start((ctx, input) -> {
            ctx.undo("release", () -> undone.add("old release"));
            ctx.step("reserve", String.class, () -> "");
            return ctx.await("shipped", String.class);
        });
        JobId job = workbench.submit(before, "order", "key");
        workbench.awaitParked();
        before.close();

        Engine after = start((ctx, input) -> {
            ctx.undo("release", () -> undone.add("new release"));
            return ctx.step("reserve differently", String.class, () -> "");
        });
        after.cancel("default", job);
        Closed closed = workbench.await(after, job);

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("it was cancelled; not undone: what stands behind the change", "reserve");
        assertThat(undone).containsExactly("new release");
    }

    private Engine start(Workflow<String, String> body) {
        return workbench.start(
                workbench.database(),
                Workbench.SETTINGS,
                CrashPoints.NONE,
                List.of(WorkflowType.of("order", String.class, String.class, body)));
    }
}
