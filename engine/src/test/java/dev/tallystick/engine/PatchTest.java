package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.Workflow;
import dev.tallystick.workflow.WorkflowType;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The code of a workflow changes while its jobs are under way. */
class PatchTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    @Test
    void a_job_that_passed_before_the_patch_was_there_goes_the_old_way_to_its_end() {
        Engine before = start((ctx, input) -> {
            String first = ctx.step("first", String.class, () -> "1");
            ctx.await("go", String.class);
            return first;
        });
        JobId job = workbench.submit(before, "flow", "old");
        workbench.awaitParked();
        before.close();

        Engine after = start(PatchTest::patched);
        workbench.signal(after, job, "go");

        assertThat(workbench.result(workbench.await(after, job))).isEqualTo("1");
        assertThat(workbench.activities(job)).noneMatch(line -> line.contains("$patched"));
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void a_job_that_comes_by_with_the_patch_goes_the_new_way_in_every_run() {
        Engine engine = start(PatchTest::patched);
        JobId job = workbench.submit(engine, "flow", "new");
        workbench.awaitParked();
        workbench.signal(engine, job, "go");

        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("1 checked");
        assertThat(workbench.activities(job)).anyMatch(line -> line.startsWith("1~check $patched:check"));
        assertThat(workbench.violations()).isEmpty();
    }

    private static String patched(Context ctx, String input) {
        String first = ctx.step("first", String.class, () -> "1");
        String checked = ctx.patched("check") ? ctx.step("check", String.class, () -> " checked") : "";
        ctx.await("go", String.class);
        return first + checked;
    }

    @Test
    void a_job_whose_process_died_may_have_passed_and_keeps_the_keys_that_it_has_asked_under() {
        Signal asked = new Signal("the first has asked");
        Signal never = new Signal("never");
        List<String> keys = new CopyOnWriteArrayList<>();
        Engine before = start((ctx, input) -> ctx.step("ship", String.class, () -> {
            keys.add(ctx.key());
            asked.fire();
            never.await();
            return "";
        }));
        JobId job = workbench.submit(before, "flow", "old");
        asked.await();
        workbench.kill(before);

        Engine after = start((ctx, input) -> {
            String checked = ctx.patched("check") ? ctx.step("check", String.class, () -> "checked ") : "";
            ctx.step("ship", Boolean.class, () -> keys.add(ctx.key()));
            return checked + (ctx.patched("later") ? "later" : "");
        });

        assertThat(workbench.result(workbench.await(after, job))).isEqualTo("later");
        assertThat(keys).hasSize(2);
        assertThat(keys.getFirst()).isEqualTo(keys.getLast());
        never.fire();
    }

    @Test
    void a_job_that_is_still_before_the_patch_takes_it() {
        Engine before = start((ctx, input) -> ctx.await("go", String.class));
        JobId job = workbench.submit(before, "flow", "old");
        workbench.awaitParked();
        before.close();

        Engine after = start((ctx, input) -> {
            ctx.await("go", String.class);
            return ctx.patched("later") ? "new" : "old";
        });
        workbench.signal(after, job, "go");

        assertThat(workbench.result(workbench.await(after, job))).isEqualTo("new");
    }

    @Test
    void places_that_leave_no_record_do_not_hide_that_the_job_has_passed() {
        Engine before = start((ctx, input) -> {
            ctx.uuid();
            return ctx.await("go", String.class);
        });
        JobId job = workbench.submit(before, "flow", "old");
        workbench.awaitParked();
        before.close();

        Engine after = start((ctx, input) -> {
            boolean patched = ctx.patched("early");
            ctx.uuid();
            ctx.await("go", String.class);
            return String.valueOf(patched);
        });
        workbench.signal(after, job, "go");

        assertThat(workbench.result(workbench.await(after, job))).isEqualTo("false");
    }

    @Test
    void the_first_answer_holds_for_the_whole_job() {
        Engine before = start((ctx, input) -> ctx.await("go", String.class));
        JobId job = workbench.submit(before, "flow", "old");
        workbench.awaitParked();
        before.close();

        Engine after = start((ctx, input) -> {
            boolean atFirst = ctx.patched("both");
            ctx.await("go", String.class);
            return atFirst + " " + ctx.patched("both");
        });
        workbench.signal(after, job, "go");

        assertThat(workbench.result(workbench.await(after, job))).isEqualTo("false false");
    }

    @Test
    void a_branch_decides_what_its_parent_has_not_decided() {
        Engine engine = start((ctx, input) -> {
            boolean parent = ctx.patched("parent");
            List<String> branches = ctx.all(
                    String.class,
                    List.of(
                            branch -> branch.patched("parent") + " " + branch.patched("own"),
                            branch -> branch.await("go", String.class)));
            return parent + " " + branches.getFirst();
        });
        JobId job = workbench.submit(engine, "flow", "new");
        workbench.awaitParked();
        workbench.signal(engine, job, "go");

        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("true true true");
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void an_id_that_cannot_stand_in_a_path_is_refused() {
        Engine engine = start((ctx, input) -> {
            assertThatThrownBy(() -> ctx.patched("a.b")).hasMessageContaining("a patch's id has");
            return "";
        });

        assertThat(workbench.run(engine, "flow")).isEmpty();
    }

    @Test
    void a_change_without_a_patch_stops_the_job_and_says_what_would_have_helped() {
        Engine before = start((ctx, input) -> ctx.await("go", String.class));
        JobId job = workbench.submit(before, "flow", "old");
        workbench.awaitParked();
        before.close();

        Engine after = start((ctx, input) -> ctx.step("check", String.class, () -> ""));
        workbench.signal(after, job, "go");

        assertThat(workbench.await(after, job).error()).contains("$await:go", "check", "ctx.patched(id)");
    }

    private Engine start(Workflow<String, String> body) {
        return workbench.start(
                workbench.database(),
                Workbench.SETTINGS,
                CrashPoints.NONE,
                List.of(WorkflowType.of("flow", String.class, String.class, body)));
    }
}
