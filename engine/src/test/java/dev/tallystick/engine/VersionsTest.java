package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Priority;
import dev.tallystick.engine.view.Unclaimed;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.Submission;
import dev.tallystick.workflow.UnknownWorkflowException;
import dev.tallystick.workflow.WorkflowType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Several versions of one workflow, side by side. */
class VersionsTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final WorkflowType<String, String> FIRST = WorkflowType.of(
            "flow", String.class, String.class, (ctx, input) -> "first " + ctx.await("go", String.class));
    private static final WorkflowType<String, String> SECOND = WorkflowType.of(
                    "flow", String.class, String.class, (ctx, input) -> ctx.step("new", String.class, () -> "second"))
            .version(2);

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    @Test
    void a_job_keeps_the_version_that_it_began_with_and_new_ones_get_the_newest() {
        Engine before = start(FIRST);
        JobId old = workbench.submit(before, "flow", "old");
        workbench.awaitParked();
        before.close();

        Engine after = start(FIRST, SECOND);
        workbench.signal(after, old, "go");

        assertThat(workbench.result(workbench.await(after, old))).isEqualTo("first payload");
        assertThat(workbench.run(after, "flow")).isEqualTo("second");
    }

    @Test
    void a_submission_may_name_its_version_and_one_that_is_not_there_is_refused_with_those_that_are() {
        Engine engine = start(FIRST, SECOND);

        Accepted accepted = engine.submit(submission(1)).join();
        JobId job = ((Accepted.Fresh) accepted).job();
        workbench.signal(engine, job, "go");

        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("first payload");
        assertThatThrownBy(() -> engine.submit(submission(3)))
                .isInstanceOf(UnknownWorkflowException.class)
                .hasMessage("workflow 'flow' is not registered in version 3, only in [1, 2]");
    }

    @Test
    void jobs_whose_version_is_gone_are_named_with_what_to_do_and_wait_unharmed() {
        Engine before = start(FIRST);
        JobId job = workbench.submit(before, "flow", "old");
        workbench.awaitParked();
        before.close();

        Engine after = start(SECOND);
        workbench.signal(after, job, "go");

        List<Unclaimed> unclaimed = Eventually.value("it is noticed", after::unclaimed, found -> !found.isEmpty());
        assertThat(unclaimed)
                .singleElement()
                .satisfies(each -> assertThat(each.advice())
                        .contains("1 job(s) of workflow 'flow' version 1", "register that version"));
        assertThat(after.why("default", job).text())
                .contains("waiting for a process in which flow version 1 is registered");

        Engine both = start(FIRST, SECOND);
        assertThat(workbench.result(workbench.await(both, job))).isEqualTo("first payload");
        assertThat(both.unclaimed()).isEmpty();
    }

    private static Submission submission(int version) {
        byte[] input = "\"\"".getBytes(StandardCharsets.UTF_8);
        return new Submission("default", "flow", input, null, null, Priority.DEFAULT, Duration.ZERO).version(version);
    }

    private Engine start(WorkflowType<?, ?>... known) {
        return workbench.start(workbench.database(), Workbench.SETTINGS, CrashPoints.NONE, List.of(known));
    }
}
