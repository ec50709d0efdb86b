package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SqlCrashPoint;
import dev.tallystick.testkit.CrashAt;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.SimulatedCrash;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.NotRecordedException;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.Workflow;
import dev.tallystick.workflow.WorkflowType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is known of a step that was begun and has not come back. */
class StepsBegunTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final Duration SOME_WORK = Duration.ofMillis(200);

    private static final Duration LONG = Duration.ofSeconds(30);

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
    void an_engine_that_closes_lets_a_step_come_to_its_end_and_begins_no_other() {
        WorkflowType<String, String> once = type((ctx, input) -> {
            ctx.step("work", String.class, Retry.NONE, this::work);
            return ctx.step("next", String.class, Retry.NONE, () -> "" + before.incrementAndGet());
        });
        Engine closing = start(
                Workbench.SETTINGS
                        .lease(Duration.ofMinutes(2), Duration.ofSeconds(1))
                        .drain(LONG),
                once);
        JobId job = workbench.submit(closing, "flow", "key");
        begun.await();
        Thread close = Thread.ofPlatform().start(closing::close);
        Eventually.holds(
                "it waits for the step",
                () -> Stream.of(close.getStackTrace())
                        .anyMatch(frame -> frame.getMethodName().equals("awaitEnd")
                                && frame.getClassName().endsWith("ExecutionThreads")));

        mayEnd.fire();
        Eventually.holds("it is closed", () -> !close.isAlive());

        assertThat(workbench.activities(job)).contains("1 work 001111000000001").hasSize(2);
        assertThat(workbench.result(workbench.await(start(once), job))).isEqualTo("1");
        assertThat(effects).hasValue(1);
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

    @Test
    void a_step_that_begins_long_after_the_last_word_asks_first_whether_there_is_still_a_job_for_it() {
        Signal ended = new Signal("the body ends");
        Engine engine = start(unhurried(), type((ctx, input) -> {
            ctx.step("before", Integer.class, before::incrementAndGet);
            Eventually.holds(
                    "all is said", () -> workbench.activities(ctx.job()).contains("1 before 001111000000001"));
            takenOverLongAgo();
            try {
                return ctx.step("work", String.class, () -> "" + effects.incrementAndGet());
            } finally {
                ended.fire();
            }
        }));
        workbench.submit(engine, "flow", "key");

        ended.await();

        assertThat(effects).hasValue(0);
    }

    /** No process here notices by itself: the next heartbeat is far away. */
    private static EngineSettings unhurried() {
        return Workbench.SETTINGS.lease(Duration.ofHours(1), Duration.ofMinutes(20));
    }

    private void takenOverLongAgo() {
        workbench.database().transact("take over", tx -> {
            tx.update("update tally.posting set fence = fence + 1");
            return tx.query("select pg_sleep(1.2)", row -> 1);
        });
    }

    @Test
    void what_is_refused_behind_the_back_of_its_body_is_not_forgotten() {
        refuseToRecord("unlucky");
        Signal mayGoOn = new Signal("the body may continue");
        Engine engine = start(type((ctx, input) -> {
            ctx.step("unlucky", Integer.class, before::incrementAndGet);
            mayGoOn.await();
            return ctx.step("work", String.class, () -> "done");
        }));
        JobId job = workbench.submit(engine, "flow", "key");
        Eventually.value("it was refused in company, and alone", this::refusals, times -> times >= 2);
        workbench.database().transact("record again", tx -> tx.update("drop trigger refuse on tally.activity"));
        mayGoOn.fire();

        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("done");
        assertThat(workbench.activities(job)).contains("1 unlucky 001111000000001");
        assertThat(before).hasValue(1);
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void a_result_that_cannot_be_recorded_is_the_end_of_its_job() {
        refuseToRecord("unlucky");
        Engine engine = start(type((ctx, input) -> ctx.step("unlucky", String.class, () -> "done")));

        Closed closed = workbench.await(engine, workbench.submit(engine, "flow", "key"));

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error())
                .contains("what the job did cannot be recorded")
                .contains("not today");
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void a_body_cannot_go_on_as_if_what_was_refused_had_been_recorded() {
        refuseToRecord("unlucky");
        Engine engine = start(type((ctx, input) -> {
            ctx.step("unlucky", String.class, () -> "done");
            try {
                ctx.step("two", Integer.class, effects::incrementAndGet);
            } catch (NotRecordedException swallowed) {
                ctx.step("three", Integer.class, effects::incrementAndGet);
            }
            return "all is well";
        }));

        Closed closed = workbench.await(engine, workbench.submit(engine, "flow", "key"));

        assertThat(closed.error()).contains("not today");
        assertThat(effects).hasValue(0);
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void what_was_done_before_a_refusal_is_undone() {
        refuseToRecord("unlucky");
        Engine engine = start(type((ctx, input) -> {
            ctx.undo("refund", () -> effects.incrementAndGet());
            ctx.step("charge", Integer.class, before::incrementAndGet);
            return ctx.step("unlucky", String.class, () -> "done");
        }));

        Closed closed = workbench.await(engine, workbench.submit(engine, "flow", "key"));

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("not today");
        assertThat(effects).hasValue(1);
        assertThat(workbench.violations()).isEmpty();
    }

    /** A sequence counts also what is rolled back. */
    private void refuseToRecord(String name) {
        workbench.database().transact("refuse", tx -> {
            tx.update("create sequence refusals minvalue 0");
            tx.update("""
                    create function refuse() returns trigger language plpgsql as $$
                    begin
                        perform nextval('refusals');
                        raise check_violation using message = 'not today';
                    end
                    $$
                    """);
            return tx.update("create trigger refuse before insert on tally.activity for each row when (new.name = '"
                    + name + "') execute function refuse()");
        });
    }

    private long refusals() {
        return workbench
                .database()
                .transact(
                        "count",
                        tx -> tx.first(
                                "select last_value + is_called::int as n from refusals", row -> row.getLong("n")))
                .orElseThrow();
    }

    @ParameterizedTest
    @EnumSource(names = {"BEFORE_COMMIT", "AFTER_COMMIT"})
    void an_engine_that_dies_while_it_closes_leaves_what_another_one_can_finish(SqlCrashPoint point) {
        CrashAt crash = CrashAt.first(point);
        WorkflowType<String, String> twice = type((ctx, input) -> {
            ctx.step("before", Integer.class, before::incrementAndGet);
            return ctx.step("work", String.class, this::work);
        });
        Database dying = Database.on(postgres.unpooled(), RandomGenerator.getDefault(), reached -> {
            boolean isMove = Thread.currentThread().getName().startsWith("tally-commit");
            if (begun.hasFired() && (isMove || crash.hasCrashed())) {
                crash.reached(reached);
            }
        });
        Engine first = workbench.start(dying, unhurried(), CrashPoints.NONE, List.of(twice));
        JobId job = workbench.submit(first, "flow", "key");
        begun.await();
        closeOrDie(first);
        assertThat(crash.hasCrashed()).isTrue();
        mayEnd.fire();
        workbench.kill(first);
        leasesAreOver();

        assertThat(workbench.result(workbench.await(start(twice), job))).isEqualTo("done");
        assertThat(before).hasValue(1);
        assertThat(effects).hasValue(2);
        assertThat(workbench.violations()).isEmpty();
    }

    private static void closeOrDie(Engine engine) {
        try {
            engine.close();
        } catch (SimulatedCrash dead) {
            // What is left of it is not closed.
        }
    }

    private void leasesAreOver() {
        workbench.database().transact("expire", tx -> tx.update("update tally.posting set visible_at = now()"));
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
        return start(Workbench.SETTINGS, type);
    }

    private Engine start(EngineSettings settings, WorkflowType<String, String> type) {
        return workbench.start(workbench.database(), settings, CrashPoints.NONE, List.of(type));
    }
}
