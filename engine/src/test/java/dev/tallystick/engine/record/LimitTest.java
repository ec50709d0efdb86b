package dev.tallystick.engine.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Limit;
import dev.tallystick.workflow.Submission;
import dev.tallystick.workflow.WorkflowType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LimitTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    /** What a job has before the colon is its key. */
    private static final Limit<String> PER_KEY = Limit.per(input -> input.substring(0, input.indexOf(':')));

    private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
    private final Map<String, Integer> most = new ConcurrentHashMap<>();

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    @Test
    void of_each_key_no_more_run_at_once_than_the_limit_allows_also_in_several_processes() {
        WorkflowType<String, String> type = busy().limit(PER_KEY.concurrency(2));
        List<Engine> engines = List.of(engine(type), engine(type), engine(type));
        List<JobId> jobs = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            jobs.add(submit(engines.get(i % 3), "busy", (i % 2 == 0 ? "a:" : "b:") + i));
        }

        jobs.forEach(job ->
                assertThat(workbench.await(engines.getFirst(), job).outcome()).isEqualTo(JobOutcome.COMPLETED));

        assertThat(most).containsOnlyKeys("a", "b");
        assertThat(most.values()).allSatisfy(count -> assertThat(count).isLessThanOrEqualTo(2));
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void a_full_key_with_a_long_backlog_does_not_hold_up_another() {
        CountDownLatch hold = new CountDownLatch(1);
        WorkflowType<String, String> type = WorkflowType.of("held", String.class, String.class, (ctx, input) -> {
            if (input.startsWith("a:")) {
                hold.await(30, TimeUnit.SECONDS);
            }
            return input;
        });
        Engine engine = engine(type.limit(PER_KEY.concurrency(1)));
        List<JobId> backlog = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            backlog.add(submit(engine, "held", "a:" + i));
        }

        JobId other = submit(engine, "held", "b:1");

        assertThat(workbench.result(workbench.await(engine, other))).isEqualTo("b:1");
        assertThat(engine.why("default", backlog.getLast()).text()).contains("waiting for its turn", "key 'a'");
        hold.countDown();
        backlog.forEach(job -> workbench.await(engine, job));
    }

    @Test
    void a_job_that_waits_holds_no_place() {
        WorkflowType<String, String> type =
                WorkflowType.of("waiting", String.class, String.class, (ctx, input) -> ctx.await("go", String.class));
        Engine engine = engine(type.limit(Limit.<String>overall().concurrency(1)));
        JobId first = submit(engine, "waiting", "1");
        JobId second = submit(engine, "waiting", "2");
        Eventually.holds("both wait", () -> parked() == 2);

        workbench.signal(engine, second, "go");
        workbench.signal(engine, first, "go");

        assertThat(workbench.result(workbench.await(engine, first))).isEqualTo("payload");
        assertThat(workbench.result(workbench.await(engine, second))).isEqualTo("payload");
    }

    @Test
    void the_place_of_a_process_that_died_is_free_once_its_lease_is_over() {
        Signal begun = new Signal("the doomed engine is at work");
        AtomicInteger runs = new AtomicInteger();
        WorkflowType<String, String> type = WorkflowType.of("stuck", String.class, String.class, (ctx, input) -> {
            if (runs.incrementAndGet() == 1) {
                begun.fire();
                new CountDownLatch(1).await(20, TimeUnit.SECONDS);
            }
            return "run " + input;
        });
        WorkflowType<String, String> limited =
                type.limit(Limit.<String>overall().concurrency(1));
        Engine doomed = engine(limited);
        JobId first = submit(doomed, "stuck", "1");
        begun.await();
        JobId second = submit(doomed, "stuck", "2");
        workbench.kill(doomed);

        Engine survivor = engine(limited);

        assertThat(workbench.result(workbench.await(survivor, first))).isEqualTo("run 1");
        assertThat(workbench.result(workbench.await(survivor, second))).isEqualTo("run 2");
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void no_more_begin_within_a_period_than_the_rate_allows() {
        WorkflowType<String, String> type = WorkflowType.of("quick", String.class, String.class, (ctx, input) -> input);
        WorkflowType<String, String> limited =
                type.limit(Limit.<String>overall().rate(3, Duration.ofHours(1)));
        Engine engine = engine(limited);
        Engine other = engine(limited);
        List<JobId> jobs = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            jobs.add(submit(i % 2 == 0 ? engine : other, "quick", "" + i));
        }

        Eventually.holds("the first three are done", () -> closed() == 3);
        assertThat(engine.why("default", jobs.getLast()).text()).contains("waiting for its turn");
        anHourPasses();
        Eventually.holds("three more are done", () -> closed() == 6);
        anHourPasses();
        Eventually.holds("all are done", () -> closed() == 8);

        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void what_has_begun_is_not_held_back_by_the_rate() {
        WorkflowType<String, String> type =
                WorkflowType.of("waiting", String.class, String.class, (ctx, input) -> ctx.await("go", String.class));
        Engine engine = engine(type.limit(Limit.<String>overall().rate(1, Duration.ofHours(1))));
        JobId first = submit(engine, "waiting", "1");
        Eventually.holds("it waits", () -> parked() == 1);
        JobId second = submit(engine, "waiting", "2");

        workbench.signal(engine, first, "go");

        assertThat(workbench.result(workbench.await(engine, first))).isEqualTo("payload");
        assertThat(engine.why("default", second).text()).contains("waiting for its turn");
    }

    @Test
    void children_have_the_limit_of_their_own_workflow() {
        WorkflowType<String, String> child = busy().limit(PER_KEY.concurrency(1));
        WorkflowType<String, String> parent = WorkflowType.of(
                "parent",
                String.class,
                String.class,
                (ctx, input) -> String.join(
                        " ",
                        ctx.all(
                                String.class,
                                List.of(
                                        one -> one.child("busy", "a:1", String.class),
                                        two -> two.child("busy", "a:2", String.class),
                                        three -> three.child("busy", "a:3", String.class)))));
        Engine engine =
                workbench.start(workbench.database(), Workbench.SETTINGS, CrashPoints.NONE, List.of(child, parent));

        assertThat(workbench.result(workbench.await(engine, submit(engine, "parent", "p"))))
                .isEqualTo("a:1 a:2 a:3");
        assertThat(most).containsEntry("a", 1);
    }

    @Test
    void jobs_from_before_a_limit_and_from_after_it_are_run_alike() {
        WorkflowType<String, String> type =
                WorkflowType.of("changing", String.class, String.class, (ctx, input) -> input);
        Engine submitting = engine(type.limit(PER_KEY.rate(1, Duration.ofHours(1))));
        JobId first = submit(submitting, "changing", "a:1");
        JobId second = submit(submitting, "changing", "a:2");
        workbench.await(submitting, first);
        workbench.kill(submitting);

        Engine without = engine(type);

        assertThat(workbench.result(workbench.await(without, second))).isEqualTo("a:2");
    }

    @Test
    void versions_side_by_side_share_the_limit_of_the_newest() {
        WorkflowType<String, String> old = busy().limit(PER_KEY.concurrency(9));
        WorkflowType<String, String> now = busy().version(2).limit(PER_KEY.concurrency(1));
        Engine engine = workbench.start(workbench.database(), Workbench.SETTINGS, CrashPoints.NONE, List.of(old, now));
        List<JobId> jobs = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Submission submission =
                    workbench.submission("busy", "k" + i, "a:" + i).version(1 + i % 2);
            jobs.add(((Accepted.Fresh) engine.submit(submission).join()).job());
        }

        jobs.forEach(job -> workbench.await(engine, job));

        assertThat(most).containsEntry("a", 1);
    }

    @Test
    void a_job_without_a_limit_leaves_nothing_in_the_table_of_lanes() {
        workbench.workflow("free", (ctx, input) -> input);
        workbench.run(workbench.start(), "free");

        assertThat(workbench.count("lane")).isZero();
    }

    @Test
    void lanes_without_jobs_are_forgotten_after_a_while() {
        Engine engine = engine(busy().limit(PER_KEY.concurrency(1)));
        workbench.await(engine, submit(engine, "busy", "a:1"));
        assertThat(workbench.count("lane")).isEqualTo(1);
        Lanes lanes = new Lanes(workbench.database(), Duration.ofSeconds(1));

        assertThat(lanes.sweep()).isZero();
        workbench
                .database()
                .transact("age", tx -> tx.update("update tally.lane set used_at = used_at - interval '3 days'"));
        assertThat(lanes.sweep()).isEqualTo(1);
    }

    @Test
    void an_input_without_a_key_is_refused_when_it_is_submitted() {
        Engine engine = engine(busy().limit(PER_KEY.concurrency(1)));

        assertThatThrownBy(() -> submit(engine, "busy", "no colon")).isInstanceOf(RuntimeException.class);
        assertThat(workbench.count("job")).isZero();
        assertThatThrownBy(() -> PER_KEY.concurrency(0)).hasMessageContaining("at least one");
        assertThatThrownBy(() -> PER_KEY.rate(1_001, Duration.ofSeconds(1))).hasMessageContaining("shorter time");
        assertThatThrownBy(() -> PER_KEY.rate(1, Duration.ofDays(2))).hasMessageContaining("looks back");
    }

    @Test
    void a_key_that_is_too_long_is_not_repeated_whole() {
        Limit<String> itself = Limit.<String>per(input -> input).concurrency(1);

        assertThatThrownBy(() -> itself.keyOf("x".repeat(100_000)))
                .hasMessageContaining("got 100000 characters")
                .satisfies(refused -> assertThat(refused.getMessage()).hasSizeLessThan(200));
        assertThatThrownBy(() -> itself.keyOf("a\0b")).hasMessageContaining("no NUL");
    }

    /** Notes how many of its key are at work at once. */
    private WorkflowType<String, String> busy() {
        return WorkflowType.of("busy", String.class, String.class, (ctx, input) -> {
            String key = input.substring(0, 1);
            AtomicInteger count = running.computeIfAbsent(key, absent -> new AtomicInteger());
            ctx.step("work", String.class, () -> {
                most.merge(key, count.incrementAndGet(), Math::max);
                new CountDownLatch(1).await(10, TimeUnit.MILLISECONDS);
                count.decrementAndGet();
                return "";
            });
            return input;
        });
    }

    private Engine engine(WorkflowType<String, String> type) {
        return workbench.start(workbench.database(), Workbench.SETTINGS, CrashPoints.NONE, List.of(type));
    }

    private JobId submit(Engine engine, String workflow, String input) {
        Accepted accepted = engine.submit(workbench.submission(workflow, workflow + input, input))
                .join();
        return ((Accepted.Fresh) accepted).job();
    }

    private long parked() {
        return workbench.count("posting where name = '$main' and visible_at = 'infinity'");
    }

    private long closed() {
        return workbench.count("job where closed_by is not null");
    }

    /** For the lanes, which know by the time that jobs began how many may. */
    private void anHourPasses() {
        assertThat(closed()).isEqualTo(begun());
        workbench.database().transact("age", tx -> tx.update("""
                update tally.lane
                set starts = array(select b - interval '1 hour' from unnest(starts) as b)
                """));
    }

    private long begun() {
        return workbench.count("posting where name = '$main' and fence > 0") + closed();
    }
}
