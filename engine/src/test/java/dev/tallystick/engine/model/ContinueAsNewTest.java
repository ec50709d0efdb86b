package dev.tallystick.engine.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Limit;
import dev.tallystick.workflow.Signalled;
import dev.tallystick.workflow.WorkflowType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** R12: a job continues as a new one, and requests to the first one reach the last one. */
class ContinueAsNewTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    /** Collects signals "next", one a job, until it has as many as its input is to be long. */
    private static String collect(Context ctx, String input) {
        String collected = (input.equals("input") ? "" : input) + ctx.await("next", String.class);
        return collected.length() == 3 ? collected : ctx.continueAsNew(collected);
    }

    @Test
    void r12_the_result_of_the_last_job_is_the_result_of_the_first_and_of_its_key() {
        workbench.workflow("flow", ContinueAsNewTest::collect);
        Engine engine = workbench.start();
        JobId first = workbench.submit(engine, "flow", "key");
        send(engine, first, "a");
        send(engine, first, "b");
        send(engine, first, "c");

        Closed closed = workbench.await(engine, first);

        assertThat(workbench.result(closed)).isEqualTo("abc");
        assertThat(closed.job()).isNotEqualTo(first);
        assertThat(workbench.accept(engine, "flow", "key")).isEqualTo(new Accepted.Duplicate(first));
        assertThat(workbench.count("job where outcome = 'continued'")).isEqualTo(2);
        assertThat(workbench.count("job where continued_from is not null and first_job = '" + first + "'"))
                .isEqualTo(2);
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void r12_a_job_that_cannot_go_on_because_there_is_no_next_one_fails_and_says_why() {
        Limit<String> perInput = Limit.per(input -> {
            if (input.equals("next")) {
                throw new IllegalStateException("planted: no key");
            }
            return input;
        });
        assertFails(goingOn().limit(perInput.concurrency(1)), "planted: no key");
    }

    @Test
    void r12_a_job_that_cannot_go_on_because_the_database_refuses_it_fails_and_says_why() {
        workbench
                .database()
                .transact(
                        "refuse",
                        tx -> tx.update("alter table tally.job add constraint planted check (continued_from is null)"));

        assertFails(goingOn(), "violates check constraint \"planted\"");
    }

    private static WorkflowType<String, String> goingOn() {
        return WorkflowType.of("flow", String.class, String.class, (ctx, input) -> ctx.<String>continueAsNew("next"));
    }

    private void assertFails(WorkflowType<String, String> type, String reason) {
        Engine engine = workbench.start(workbench.database(), Workbench.SETTINGS, CrashPoints.NONE, List.of(type));

        Closed closed = workbench.await(engine, workbench.submit(engine, "flow", "key"));

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains(reason);
        assertThat(workbench.count("job")).isEqualTo(1);
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void r12_a_signal_to_the_first_job_reaches_what_it_became() {
        workbench.workflow("flow", ContinueAsNewTest::collect);
        Engine engine = workbench.start();
        JobId first = workbench.submit(engine, "flow", "key");
        send(engine, first, "a");
        awaitJobs(2);
        assertThat(send(engine, first, "b")).isEqualTo(new Signalled.Kept(false));
        awaitJobs(3);
        JobId second = new JobId(workbench
                .database()
                .transact(
                        "read",
                        tx -> tx.first(
                                "select id from tally.job where run = 1",
                                row -> row.getObject("id", java.util.UUID.class)))
                .orElseThrow());
        assertThat(send(engine, second, "c")).isEqualTo(new Signalled.Kept(false));

        assertThat(workbench.result(workbench.await(engine, first))).isEqualTo("abc");
        assertThat(send(engine, first, "d")).isEqualTo(new Signalled.JobClosed());
    }

    @Test
    void a_repeated_signal_gets_its_original_answer_whichever_job_took_it() {
        workbench.workflow("flow", ContinueAsNewTest::collect);
        Engine engine = workbench.start();
        JobId first = workbench.submit(engine, "flow", "key");
        send(engine, first, "a");
        awaitJobs(2);

        assertThat(send(engine, first, "a")).isEqualTo(new Signalled.Kept(true));
        send(engine, first, "b");
        awaitJobs(3);
        assertThat(send(engine, first, "a")).isEqualTo(new Signalled.Kept(true));
        assertThat(send(engine, first, "b")).isEqualTo(new Signalled.Kept(true));
        send(engine, first, "c");

        assertThat(workbench.result(workbench.await(engine, first))).isEqualTo("abc");
        assertThat(send(engine, first, "b")).isEqualTo(new Signalled.Kept(true));
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void r12_a_cancel_of_the_first_job_ends_what_it_became() {
        workbench.workflow("flow", ContinueAsNewTest::collect);
        Engine engine = workbench.start();
        JobId first = workbench.submit(engine, "flow", "key");
        send(engine, first, "a");
        awaitJobs(2);

        engine.cancel("default", first);

        assertThat(workbench.await(engine, first).outcome()).isEqualTo(JobOutcome.CANCELLED);
        Eventually.value("nothing is left", workbench::violations, List::isEmpty);
    }

    @Test
    void a_cancel_that_meets_a_job_while_it_goes_on_is_for_what_it_becomes() {
        Signal cancelled = new Signal("the cancel is posted and not done yet");
        workbench.workflow("flow", (ctx, input) -> {
            if (input.equals("second")) {
                return ctx.await("never", String.class);
            }
            ctx.step("wait", String.class, () -> {
                cancelled.await();
                return "";
            });
            return ctx.continueAsNew("second");
        });
        Engine engine = workbench.start();
        JobId first = workbench.submit(engine, "flow", "key");
        Guid guid = Guid.of(ActivityId.cancel(first), 0);
        workbench.database().transact("cancel, seen late", tx -> tx.update("""
                insert into tally.posting (job_id, guid, mesh, queue, priority, visible_at, path, name)
                values (?, ?, 'default', '$engine', 0, 'infinity', '', '$cancel')
                """, first.value(), guid.value()));
        cancelled.fire();
        awaitJobs(2);
        workbench.database().transact("now", tx -> tx.update("""
                update tally.posting set visible_at = now() where name = '$cancel'
                """));

        assertThat(workbench.await(engine, first).outcome()).isEqualTo(JobOutcome.CANCELLED);
        Eventually.value("nothing is left", workbench::violations, List::isEmpty);
    }

    @Test
    void a_parent_gets_the_result_of_what_its_child_became() {
        workbench.workflow("child", (ctx, input) -> input.length() < 4 ? ctx.continueAsNew(input + "!") : input);
        workbench.workflow("parent", (ctx, input) -> ctx.child("child", "hi", String.class));
        Engine engine = workbench.start();

        assertThat(workbench.run(engine, "parent")).isEqualTo("hi!!");
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void a_time_out_goes_along() {
        workbench.workflow(
                "flow",
                (ctx, input) -> input.equals("input") ? ctx.continueAsNew("again") : ctx.await("never", String.class));
        Engine engine = workbench.start();
        JobId first = workbench.submit(
                engine, workbench.submission("flow", "key", "input").timeout(Duration.ofMillis(500)));

        assertThat(workbench.await(engine, first).outcome()).isEqualTo(JobOutcome.TIMED_OUT);
        Eventually.value("nothing is left", workbench::violations, List::isEmpty);
        assertThat(workbench.count("posting")).isZero();
    }

    @Test
    void the_chain_is_followed_also_when_its_beginning_has_been_dropped() {
        workbench.workflow("flow", ContinueAsNewTest::collect);
        Engine engine = workbench.start();
        JobId first = workbench.submit(engine, "flow", "key");
        send(engine, first, "a");
        send(engine, first, "b");
        awaitJobs(3);
        workbench.database().transact("drop", tx -> tx.update("delete from tally.job where id = ?", first.value()));

        assertThat(engine.why("default", first).text()).contains("a signal 'next'");
        assertThat(send(engine, first, "c")).isEqualTo(new Signalled.Kept(false));

        assertThat(workbench.result(workbench.await(engine, first))).isEqualTo("abc");
    }

    @Test
    void a_branch_cannot_go_on_for_its_body() {
        workbench.workflow(
                "flow",
                (ctx, input) -> ctx.any(
                        String.class,
                        List.of(branch -> branch.continueAsNew("next"), branch -> branch.continueAsNew("other"))));
        Engine engine = workbench.start();

        Closed closed = workbench.await(engine, workbench.submit(engine, "flow", "key"));

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("only the body that it belongs to");
    }

    private void awaitJobs(int number) {
        Eventually.holds(
                "job " + number + " waits",
                () -> workbench.count("job") == number
                        && workbench.count("posting where name = '$main' and visible_at = 'infinity'") == 1);
    }

    private static Signalled send(Engine engine, JobId job, String letter) {
        return engine.signal("default", job, "next", letter, ("\"" + letter + "\"").getBytes(StandardCharsets.UTF_8))
                .join();
    }
}
