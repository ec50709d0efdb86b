package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is known of a step that was begun and has not come back. */
class StepsBegunTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final Duration SOME_WORK = Duration.ofMillis(200);

    private final AtomicInteger before = new AtomicInteger();
    private final AtomicInteger effects = new AtomicInteger();
    private final Signal begun = new Signal("the step runs");
    private final Signal mayEnd = new Signal("the step may end");

    private Workbench workbench;

    @BeforeEach
    void open() {
        workbench = new Workbench(postgres.dataSource());
    }

    @AfterEach
    void close() {
        mayEnd.fire();
        workbench.close();
    }

    @Test
    void a_first_step_that_must_not_be_repeated_is_not_done_again_by_whoever_takes_over() {
        WorkflowType<String, String> once =
                type((ctx, input) -> ctx.step("work", String.class, Retry.NONE, this::work));
        JobId job = submitAndKill(once);

        Closed closed = workbench.await(start(once), job);

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("it was begun once and never came back");
        assertThat(effects).hasValue(1);
    }

    @Test
    void a_later_step_that_must_not_be_repeated_is_not_done_again_by_whoever_takes_over() {
        WorkflowType<String, String> once = type((ctx, input) -> {
            ctx.step("before", Integer.class, before::incrementAndGet);
            return ctx.step("work", String.class, Retry.NONE, this::work);
        });
        JobId job = submitAndKill(once);

        Closed closed = workbench.await(start(once), job);

        assertThat(closed.error()).contains("it was begun once and never came back");
        assertThat(before).hasValue(1);
        assertThat(effects).hasValue(1);
    }

    @Test
    void what_came_before_a_step_is_not_done_again_however_soon_the_process_dies() {
        WorkflowType<String, String> twice = type((ctx, input) -> {
            ctx.step("before", Integer.class, before::incrementAndGet);
            return ctx.step("work", String.class, this::work);
        });
        JobId job = submitAndKill(twice);
        mayEnd.fire();

        assertThat(workbench.result(workbench.await(start(twice), job))).isEqualTo("done");
        assertThat(before).hasValue(1);
        assertThat(effects).hasValue(2);
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void a_step_that_is_interrupted_when_its_engine_closes_is_in_the_record() {
        Engine closing = start(type((ctx, input) -> ctx.step("work", String.class, this::work)));
        JobId job = workbench.submit(closing, "flow", "key");
        begun.await();

        closing.close();

        assertThat(workbench.activities(job)).contains("1 work 001100000000000");
    }

    @Test
    void the_record_says_when_a_step_was_begun_and_not_when_that_was_written() {
        Engine engine = start(type((ctx, input) -> {
            ctx.step("before", Integer.class, before::incrementAndGet);
            return ctx.step("work", String.class, this::workInTheDatabase);
        }));
        JobId job = workbench.submit(engine, "flow", "key");
        workbench.await(engine, job);

        assertThat(workbench.count("activity a join tally.guid g using (job_id, path, name) where a.name = 'work'"
                        + " and g.entered_at - a.entered_at >= interval '" + SOME_WORK.toMillis() / 2
                        + " milliseconds'"))
                .isEqualTo(1);
    }

    @Test
    void a_step_that_takes_long_is_seen_while_it_does() {
        Engine engine = start(type((ctx, input) -> {
            ctx.step("before", Integer.class, before::incrementAndGet);
            return ctx.step("work", String.class, this::work);
        }));
        JobId job = workbench.submit(engine, "flow", "key");
        begun.await();

        Eventually.value(
                "the record says that it was begun",
                () -> workbench.activities(job),
                activities -> activities.stream().anyMatch(line -> line.equals("2 work 001100000000000")));

        mayEnd.fire();
        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("done");
        assertThat(workbench.activities(job)).contains("2 work 001111000000001");
    }

    private String workInTheDatabase() {
        workbench
                .database()
                .transact("work", tx -> tx.query("select pg_sleep(?)", row -> 1, SOME_WORK.toMillis() / 1000.0));
        return "done";
    }

    private String work() {
        effects.incrementAndGet();
        begun.fire();
        mayEnd.await();
        return "done";
    }

    private static WorkflowType<String, String> type(Workflow<String, String> body) {
        return WorkflowType.of("flow", String.class, String.class, body);
    }

    private JobId submitAndKill(WorkflowType<String, String> type) {
        Engine dying = start(type);
        JobId job = workbench.submit(dying, "flow", "key");
        begun.await();
        workbench.kill(dying);
        return job;
    }

    private Engine start(WorkflowType<String, String> type) {
        return workbench.start(workbench.database(), Workbench.SETTINGS, CrashPoints.NONE, List.of(type));
    }
}
