package dev.tallystick.engine.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.Signalled;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What reaches a job from outside: signals, the ends of its children, and its own end. */
class SignalsChildrenCancelTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private final AtomicInteger effects = new AtomicInteger();

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    @Test
    void a_signal_wakes_the_job_that_waits_for_it() {
        workbench.workflow("waiting", (ctx, input) -> "got " + ctx.await("go", String.class));
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "waiting", "key");
        workbench.awaitParked();

        assertThat(signal(engine, job, "go", "s1", "now")).isEqualTo(new Signalled.Kept(false));

        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("got now");
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void a_signal_that_comes_before_its_wait_is_kept_for_it() {
        Signal mayGoOn = new Signal("the signal was sent");
        workbench.workflow("late", (ctx, input) -> {
            ctx.step("first", String.class, () -> {
                mayGoOn.await();
                return "";
            });
            return "got " + ctx.await("go", String.class);
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "late", "key");
        signal(engine, job, "go", "s1", "early");
        mayGoOn.fire();

        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("got early");
    }

    @Test
    void r10_a_repeated_signal_counts_once_and_gets_its_original_answer_also_on_a_closed_job() {
        workbench.workflow("two", (ctx, input) -> ctx.await("go", String.class) + ctx.await("go", String.class));
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "two", "key");

        signal(engine, job, "go", "s1", "a");
        assertThat(signal(engine, job, "go", "s1", "a")).isEqualTo(new Signalled.Kept(true));
        signal(engine, job, "go", "s2", "b");

        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("ab");
        assertThat(signal(engine, job, "go", "s1", "a")).isEqualTo(new Signalled.Kept(true));
        assertThat(signal(engine, job, "go", "s3", "c")).isEqualTo(new Signalled.JobClosed());
    }

    @Test
    void r10_a_wait_that_runs_out_of_patience_goes_on_and_a_late_signal_stays_for_the_next() {
        workbench.workflow("impatient", (ctx, input) -> {
            boolean came = ctx.await("go", String.class, Duration.ofMillis(100)).isPresent();
            return came + " " + ctx.await("go", String.class);
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "impatient", "key");
        Eventually.holds(
                "the first wait is over",
                () -> workbench.activities(job).stream().anyMatch(line -> line.startsWith("2 ")));

        signal(engine, job, "go", "s1", "late");

        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("false late");
        assertThat(workbench.violations()).isEmpty();
        assertThat(workbench.count("posting")).isZero();
    }

    @Test
    void the_first_of_a_signal_and_a_sleep_decides_and_the_job_returns() {
        workbench.workflow(
                "either",
                (ctx, input) -> ctx.any(String.class, List.of(branch -> branch.await("go", String.class), branch -> {
                    branch.sleep(Duration.ofHours(1));
                    return "slept";
                })));
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "either", "key");
        workbench.awaitParked();

        signal(engine, job, "go", "s1", "signalled");

        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("signalled");
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void a_job_that_is_not_there_takes_no_signal() {
        Engine engine = workbench.start();

        assertThat(signal(engine, JobId.parse("01890a5d-ac96-774b-bcce-b302099a8057"), "go", "s1", ""))
                .isEqualTo(new Signalled.NoSuchJob());
    }

    @Test
    void a_signal_that_the_database_could_not_keep_is_refused_before_it_is_sent() {
        workbench.workflow("waiting", (ctx, input) -> ctx.await("go", String.class));
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "waiting", "key");
        String name = longest(SentSignal.LONGEST_NAME);
        String key = longest(SentSignal.LONGEST_SENDER_KEY);

        assertThat(signal(engine, job, name, key, "")).isInstanceOf(Signalled.Kept.class);

        assertThatThrownBy(() -> signal(engine, job, name + "x", "s1", ""))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> signal(engine, job, "go", key + "x", "")).isInstanceOf(IllegalArgumentException.class);
    }

    /** Of characters that have three bytes each and cannot be compressed. */
    private static String longest(int length) {
        return Randomness.ofSeed(1)
                .ints(length, 0x4e00, 0x9fff)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    @Test
    void a_child_is_a_job_of_its_own_whose_result_comes_back() {
        workbench.workflow("child", (ctx, input) -> ctx.step("work", String.class, () -> input + "!"));
        workbench.workflow("parent", (ctx, input) -> ctx.child("child", "from parent", String.class));
        Engine engine = workbench.start();

        assertThat(workbench.run(engine, "parent")).isEqualTo("from parent!");
        assertThat(workbench.count("job")).isEqualTo(2);
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void a_child_that_fails_fails_the_call_of_its_parent() {
        workbench.workflow(
                "child",
                (ctx, input) -> ctx.step("work", String.class, Retry.NONE, () -> {
                    throw new IllegalStateException("not today");
                }));
        workbench.workflow("parent", (ctx, input) -> ctx.child("child", "", String.class));
        Engine engine = workbench.start();

        Closed closed = workbench.await(engine, workbench.submit(engine, "parent", "key"));

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("not today");
    }

    @Test
    void a_cancelled_job_stops_its_running_step_and_its_children() {
        Signal running = new Signal("the step runs");
        workbench.workflow("child", (ctx, input) -> ctx.await("never", String.class));
        workbench.workflow(
                "parent",
                (ctx, input) -> String.join(
                        "",
                        ctx.all(
                                String.class,
                                List.of(
                                        branch -> branch.child("child", "", String.class),
                                        branch -> branch.step("long", String.class, () -> {
                                            running.fire();
                                            new Signal("never").await();
                                            return "";
                                        })))));
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "parent", "key");
        running.await();
        Eventually.holds("the child exists", () -> workbench.count("job") == 2);

        engine.cancel("default", job);

        assertThat(workbench.await(engine, job).outcome()).isEqualTo(JobOutcome.CANCELLED);
        Eventually.value("everything is closed", workbench::violations, List::isEmpty);
        assertThat(workbench.accept(engine, "parent", "key")).isEqualTo(new Accepted.Duplicate(job));
    }

    @Test
    void a_child_that_nobody_waits_for_any_more_is_cancelled() {
        workbench.workflow("child", (ctx, input) -> ctx.await("never", String.class));
        workbench.workflow(
                "parent",
                (ctx, input) -> ctx.any(
                        String.class,
                        List.of(
                                branch -> branch.child("child", "", String.class),
                                branch -> branch.step("quick", String.class, () -> {
                                    Eventually.holds("the child exists", () -> workbench.count("job") == 2);
                                    return "quick";
                                }))));
        Engine engine = workbench.start();

        assertThat(workbench.run(engine, "parent")).isEqualTo("quick");

        Eventually.holds("the child is cancelled", () -> workbench.count("job where outcome = 'cancelled'") == 1);
        Eventually.value("everything is closed", workbench::violations, List::isEmpty);
    }

    @Test
    void a_late_result_of_a_cancelled_job_is_recorded_and_changes_nothing() {
        Signal running = new Signal("the step runs");
        Signal cancelled = new Signal("the job is cancelled");
        workbench.workflow(
                "stubborn",
                (ctx, input) -> ctx.step("stubborn", String.class, () -> {
                    running.fire();
                    while (!cancelled.hasFired()) {
                        Thread.interrupted();
                        Thread.onSpinWait();
                    }
                    return "done all the same";
                }));
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "stubborn", "key");
        running.await();
        engine.cancel("default", job);
        assertThat(workbench.await(engine, job).outcome()).isEqualTo(JobOutcome.CANCELLED);
        cancelled.fire();

        Eventually.value(
                "the late result is recorded",
                () -> workbench.activities(job),
                activities -> activities.contains("1 stubborn 001111000000001"));
        Eventually.value("the posting is gone", workbench::violations, List::isEmpty);
        assertThat(workbench.await(engine, job).outcome()).isEqualTo(JobOutcome.CANCELLED);
    }

    @Test
    void a_transaction_and_its_digit_are_one_commit() {
        workbench
                .database()
                .transact("create", tx -> tx.update("create table paid (job text primary key, amount int)"));
        workbench.workflow(
                "pay",
                (ctx, input) -> ctx.transaction("pay", String.class, connection -> {
                    effects.incrementAndGet();
                    try (PreparedStatement insert = connection.prepareStatement("insert into paid values (?, 5)")) {
                        insert.setString(1, ctx.job().toString());
                        insert.executeUpdate();
                    }
                    return "paid";
                }));

        assertThat(workbench.run(workbench.start(), "pay")).isEqualTo("paid");
        assertThat(effects).hasValue(1);
        assertThat(workbench
                        .database()
                        .transact("sum", tx -> tx.first("select sum(amount) as s from paid", row -> row.getInt("s")))
                        .orElseThrow())
                .isEqualTo(5);
    }

    private static Signalled signal(Engine engine, JobId job, String name, String key, String payload) {
        return engine.signal("default", job, name, key, ("\"" + payload + "\"").getBytes(StandardCharsets.UTF_8))
                .join();
    }
}
