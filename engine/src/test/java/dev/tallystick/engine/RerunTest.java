package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.model.DeadLetter;
import dev.tallystick.engine.submit.Reruns;
import dev.tallystick.sql.Also;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SqlCrashPoint;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.ForkRefusedException;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Limit;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.Signalled;
import dev.tallystick.workflow.StepFailedException;
import dev.tallystick.workflow.UnknownJobException;
import dev.tallystick.workflow.WorkflowType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R12 and R13: closed jobs are done again, from their beginning or from a step; those that failed are dead letters. */
class RerunTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private final List<String> done = new CopyOnWriteArrayList<>();
    private final AtomicBoolean broken = new AtomicBoolean(true);

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    /** Reserves, charges and confirms; charging fails while {@link #broken}. */
    private String order(Context ctx, String input) {
        String reserved = ctx.step("reserve", String.class, () -> note("reserve", ctx));
        String id = ctx.uuid().toString();
        String charged = ctx.step("charge", String.class, Retry.NONE, () -> {
            note("charge", ctx);
            if (broken.get()) {
                throw new IllegalStateException("no money");
            }
            return "charged";
        });
        return ctx.step("confirm", String.class, () -> reserved + " " + charged + " " + id);
    }

    private String note(String step, Context ctx) {
        done.add(step + " " + ctx.key());
        return step + "d";
    }

    @Test
    void a_failed_job_is_a_dead_letter_that_is_redriven_from_where_it_failed_under_the_same_keys() {
        workbench.workflow("order", this::order);
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "order", "key");
        workbench.await(engine, job);

        DeadLetter letter = onlyLetter(engine);
        assertThat(letter.job()).isEqualTo(job);
        assertThat(letter.reason()).contains("no money");
        assertThat(letter.ceiling()).isFalse();

        broken.set(false);
        JobId redriven = engine.reruns().redrive("default", job);

        assertThat(workbench.result(workbench.await(engine, redriven))).startsWith("reserved charged ");
        assertThat(done).containsExactly("reserve " + job + ":1", "charge " + job + ":3", "charge " + job + ":3");
        assertThat(workbench.count("job where continued_from = '" + job + "' and first_job is null"))
                .isEqualTo(1);
        assertThat(workbench.activities(redriven))
                .contains("1 reserve 001111000000001", "3 charge 001111000000001", "4 confirm 001111000000001");
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void r25_the_key_of_a_limit_is_asked_for_while_the_job_is_not_locked() {
        List<Integer> free = new CopyOnWriteArrayList<>();
        Engine engine = workbench.start(
                workbench.database(),
                Workbench.SETTINGS,
                CrashPoints.NONE,
                List.of(WorkflowType.of("order", String.class, String.class, this::order)
                        .limit(Limit.<String>per(input -> {
                                    free.add(workbench
                                            .database()
                                            .transact(
                                                    "lock",
                                                    tx -> tx.query(
                                                                    "select id from tally.job for update skip locked",
                                                                    row -> row.getString("id"))
                                                            .size()));
                                    return "key";
                                })
                                .concurrency(1))));
        JobId job = workbench.submit(engine, "order", "key");
        workbench.await(engine, job);
        free.clear();

        JobId redriven = engine.reruns().redrive("default", job);
        workbench.await(engine, redriven);

        assertThat(free).isNotEmpty().allMatch(number -> number == 1);
    }

    @Test
    void a_letter_is_redriven_once_and_the_old_job_and_its_key_do_not_follow() {
        workbench.workflow("order", this::order);
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "order", "key");
        workbench.await(engine, job);
        broken.set(false);

        JobId redriven = engine.reruns().redrive("default", job);

        assertThat(engine.reruns().redrive("default", job)).isEqualTo(redriven);
        assertThat(letters(engine)).isEmpty();
        workbench.await(engine, redriven);
        assertThat(workbench.await(engine, job).outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(workbench.submit(engine, "order", "key")).isEqualTo(job);
        assertThat(workbench.signal(engine, job, "any")).isEqualTo(new Signalled.JobClosed());
    }

    @Test
    void a_letter_that_fails_again_is_another_letter() {
        workbench.workflow("order", this::order);
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "order", "key");
        workbench.await(engine, job);

        JobId redriven = engine.reruns().redrive("default", job);
        workbench.await(engine, redriven);

        assertThat(onlyLetter(engine).job()).isEqualTo(redriven);
        engine.reruns().discard("default", redriven, Also.NOTHING);
        assertThat(letters(engine)).isEmpty();
    }

    @Test
    void a_rerun_begins_anew_under_keys_of_its_own() {
        workbench.workflow("order", this::order);
        Engine engine = workbench.start();
        broken.set(false);
        JobId job = workbench.submit(engine, "order", "key");
        String first = workbench.result(workbench.await(engine, job));

        JobId again = engine.reruns().rerun("default", job);

        assertThat(workbench.result(workbench.await(engine, again)))
                .startsWith("reserved charged ")
                .isNotEqualTo(first);
        assertThat(done)
                .containsExactly(
                        "reserve " + job + ":1",
                        "charge " + job + ":3",
                        "reserve " + again + ":1",
                        "charge " + again + ":3");
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void a_fork_takes_what_was_recorded_before_its_step_also_what_follows_from_the_place_alone() {
        workbench.workflow("order", this::order);
        Engine engine = workbench.start();
        broken.set(false);
        JobId job = workbench.submit(engine, "order", "key");
        String first = workbench.result(workbench.await(engine, job));

        JobId fork = engine.reruns().fork("default", job, "confirm");

        assertThat(workbench.result(workbench.await(engine, fork))).isEqualTo(first);
        assertThat(done).hasSize(2);
        JobId forkOfFork = engine.reruns().fork("default", fork, "3");
        assertThat(workbench.result(workbench.await(engine, forkOfFork))).isEqualTo(first);
        assertThat(done.getLast()).isEqualTo("charge " + job + ":3");
    }

    @Test
    void what_cannot_be_forked_is_refused_with_what_to_do() {
        workbench.workflow("order", this::order);
        workbench.workflow("waiting", (ctx, input) -> ctx.await("go", String.class));
        workbench.workflow(
                "twice",
                (ctx, input) -> ctx.step("same", String.class, () -> "") + ctx.step("same", String.class, () -> ""));
        Engine engine = workbench.start();
        broken.set(false);
        JobId order = workbench.submit(engine, "order", "order");
        workbench.await(engine, order);
        JobId twice = workbench.submit(engine, "twice", "twice");
        workbench.await(engine, twice);
        JobId waiting = workbench.submit(engine, "waiting", "waiting");
        Reruns reruns = engine.reruns();

        assertThatThrownBy(() -> reruns.rerun("default", waiting))
                .isInstanceOf(ForkRefusedException.class)
                .hasMessageContaining("is open: wait for its end, or cancel it");
        assertThatThrownBy(() -> reruns.fork("default", order, "ship"))
                .hasMessageContaining("has no step 'ship'; it has reserve at 1, charge at 3, confirm at 4");
        assertThatThrownBy(() -> reruns.fork("default", twice, "same")).hasMessageContaining("same at 1, same at 2");
        assertThatThrownBy(() -> reruns.redrive("default", order)).hasMessageContaining("is no dead letter");
        assertThatThrownBy(() -> reruns.rerun("default", JobId.parse("01890a5d-ac96-774b-bcce-b302099a8057")))
                .isInstanceOf(UnknownJobException.class);
        assertThat(workbench.count("job")).isEqualTo(3);
    }

    @Test
    void signals_that_nobody_took_are_for_the_new_job_too() {
        workbench.workflow(
                "flow",
                (ctx, input) -> ctx.await("go", String.class)
                        + ctx.step("after", String.class, Retry.NONE, () -> {
                            if (broken.get()) {
                                throw new IllegalStateException("not yet");
                            }
                            return "!";
                        })
                        + ctx.await("later", String.class));
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "flow", "key");
        workbench.signal(engine, job, "later");
        workbench.signal(engine, job, "go");
        workbench.await(engine, job);
        broken.set(false);

        JobId redriven = engine.reruns().redrive("default", job);

        assertThat(workbench.result(workbench.await(engine, redriven))).isEqualTo("payload!payload");
        assertThat(workbench.signal(engine, job, "later")).isEqualTo(new Signalled.Kept(true));
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void of_parallel_branches_only_what_failed_is_done_again() {
        workbench.workflow(
                "flow",
                (ctx, input) -> String.join(
                        " ",
                        ctx.all(
                                String.class,
                                List.of(
                                        branch -> branch.step("left", String.class, () -> note("left", branch)),
                                        branch -> {
                                            branch.step("before", String.class, () -> note("before", branch));
                                            return branch.step("right", String.class, Retry.NONE, () -> {
                                                Eventually.holds("the others are done", () -> done.size() >= 2);
                                                if (broken.get()) {
                                                    throw new IllegalStateException("not yet");
                                                }
                                                return "right";
                                            });
                                        }))));
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "flow", "key");
        workbench.await(engine, job);
        broken.set(false);

        JobId redriven = engine.reruns().redrive("default", job);

        assertThat(workbench.result(workbench.await(engine, redriven))).isEqualTo("leftd right");
        assertThat(done.stream().filter(line -> line.startsWith("before"))).hasSize(1);
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void a_job_that_timed_out_or_met_a_ceiling_is_a_dead_letter_and_one_that_was_cancelled_is_not() {
        workbench.workflow("waiting", (ctx, input) -> ctx.await("go", String.class));
        Engine engine = workbench.start();
        JobId late = workbench.submit(
                engine, workbench.submission("waiting", "late", "input").timeout(Duration.ofMillis(50)));
        workbench.await(engine, late);
        JobId cancelled = workbench.submit(engine, "waiting", "cancelled");
        engine.cancel("default", cancelled);
        workbench.await(engine, cancelled);

        assertThat(onlyLetter(engine).job()).isEqualTo(late);
        JobId again = engine.reruns().redrive("default", late);
        workbench.signal(engine, again, "go");
        assertThat(workbench.await(engine, again).outcome()).isIn(JobOutcome.COMPLETED, JobOutcome.TIMED_OUT);
    }

    @Test
    void a_child_that_failed_is_its_parents_business() {
        workbench.workflow("child", (ctx, input) -> {
            throw new IllegalStateException("no");
        });
        workbench.workflow("parent", (ctx, input) -> {
            try {
                return ctx.child("child", "", String.class);
            } catch (StepFailedException e) {
                return "handled";
            }
        });
        Engine engine = workbench.start();

        assertThat(workbench.run(engine, "parent")).isEqualTo("handled");
        assertThat(letters(engine)).isEmpty();
    }

    /** The process of an operator. */
    private static final class OperatorDied extends Error {
        private static final long serialVersionUID = 1L;
    }

    @ParameterizedTest
    @EnumSource(
            value = SqlCrashPoint.class,
            names = {"BEFORE_COMMIT", "AFTER_COMMIT"})
    void a_redrive_whose_caller_died_is_done_once(CrashPoint point) {
        workbench.workflow("order", this::order);
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "order", "key");
        workbench.await(engine, job);
        broken.set(false);
        Thread operator = Thread.currentThread();
        AtomicBoolean armed = new AtomicBoolean();
        CrashPoints crash = reached -> {
            if (reached.equals(point) && Thread.currentThread().equals(operator) && armed.getAndSet(false)) {
                throw new OperatorDied();
            }
        };
        Engine dying = workbench.start(
                Database.on(postgres.dataSource(), RandomGenerator.getDefault(), crash),
                Workbench.SETTINGS,
                CrashPoints.NONE,
                List.of());
        armed.set(true);
        assertThatThrownBy(() -> dying.reruns().redrive("default", job)).isInstanceOf(OperatorDied.class);

        JobId redriven = engine.reruns().redrive("default", job);

        workbench.await(engine, redriven);
        assertThat(workbench.count("job")).isEqualTo(2);
        assertThat(workbench.violations()).isEmpty();
    }

    private static DeadLetter onlyLetter(Engine engine) {
        List<DeadLetter> letters = letters(engine);
        assertThat(letters).hasSize(1);
        return letters.getFirst();
    }

    private static List<DeadLetter> letters(Engine engine) {
        return engine.reruns().deadLetters("default", 100);
    }
}
