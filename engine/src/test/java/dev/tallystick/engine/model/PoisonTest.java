package dev.tallystick.engine.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.WorkflowType;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs that no process can run to their end; their neighbours do not notice. */
class PoisonTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final WorkflowType<String, String> MODEST = WorkflowType.of(
            "modest", String.class, String.class, (ctx, input) -> ctx.step("modest", String.class, () -> "fine"));

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    @Test
    void a_job_whose_class_is_gone_after_a_deploy_waits_for_an_engine_that_knows_it() {
        Signal begun = new Signal("the step runs");
        WorkflowType<String, String> vanishing = WorkflowType.of(
                "vanishing",
                String.class,
                String.class,
                (ctx, input) -> ctx.step("work", String.class, () -> {
                    begun.fire();
                    new Signal("never").await();
                    return "";
                }));
        Engine before = start(vanishing, MODEST);
        JobId job = workbench.submit(before, "vanishing", "key");
        begun.await();
        workbench.kill(before);

        Engine deployed = start(MODEST);
        assertThat(workbench.run(deployed, "modest")).isEqualTo("fine");
        Eventually.holds("the lease has run out", this::somethingIsDue);
        assertThat(workbench.result(workbench.await(deployed, workbench.submit(deployed, "modest", "another"))))
                .isEqualTo("fine");
        assertThat(workbench.violations()).anyMatch(line -> line.startsWith("open job " + job));

        Engine rolledBack = start(
                MODEST,
                WorkflowType.of(
                        "vanishing",
                        String.class,
                        String.class,
                        (ctx, input) -> ctx.step("work", String.class, () -> "back again")));
        assertThat(workbench.result(workbench.await(rolledBack, job))).isEqualTo("back again");
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void a_step_that_never_returns_and_ignores_interrupts_ends_with_its_cancelled_job() {
        Signal begun = new Signal("the step runs");
        Signal released = new Signal("the test is over");
        WorkflowType<String, String> stuck = WorkflowType.of(
                "stuck",
                String.class,
                String.class,
                (ctx, input) -> ctx.step("stuck", String.class, () -> {
                    begun.fire();
                    while (!released.hasFired()) {
                        Thread.interrupted();
                        Thread.onSpinWait();
                    }
                    return "";
                }));
        Engine engine = start(stuck, MODEST);
        JobId job = workbench.submit(engine, "stuck", "key");
        begun.await();

        engine.cancel("default", job);

        Closed closed = workbench.await(engine, job);
        assertThat(closed.outcome()).isEqualTo(JobOutcome.CANCELLED);
        assertThat(closed.error()).isEqualTo("it was cancelled");
        assertThat(workbench.run(engine, "modest")).isEqualTo("fine");
        released.fire();
        Eventually.value("nothing is left", workbench::violations, List::isEmpty);
    }

    @Test
    void a_job_whose_ledger_is_full_fails_with_a_readable_reason() {
        Signal begun = new Signal("the step runs");
        Signal full = new Signal("its ledger is full");
        WorkflowType<String, String> cycling = WorkflowType.of("cycling", String.class, String.class, (ctx, input) -> {
            ctx.step("before", String.class, () -> "");
            return ctx.step("cycle", String.class, Retry.NONE, () -> {
                begun.fire();
                full.await();
                return "";
            });
        });
        Engine engine = start(cycling, MODEST);
        JobId job = workbench.submit(engine, "cycling", "key");
        begun.await();
        new Ledgers(postgres.dataSource()).setLedger(new ActivityId(job, "2", "cycle"), "001100099999999");
        full.fire();

        Closed closed = workbench.await(engine, job);

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("full", "99999999");
        assertThat(engine.reruns().deadLetters("default", 10))
                .singleElement()
                .satisfies(letter -> assertThat(letter.ceiling()).isTrue());
        assertThat(workbench.run(engine, "modest")).isEqualTo("fine");
        Eventually.value("nothing is left", workbench::violations, List::isEmpty);
    }

    private Engine start(WorkflowType<?, ?>... known) {
        return workbench.start(workbench.database(), Workbench.SETTINGS, CrashPoints.NONE, List.of(known));
    }

    private boolean somethingIsDue() {
        return workbench.count("posting where visible_at <= now()") == 1;
    }
}
