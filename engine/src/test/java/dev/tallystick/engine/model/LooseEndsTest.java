package dev.tallystick.engine.model;

import static dev.tallystick.engine.model.Ledgers.leg;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.GraphBench;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.run.GraphDesk;
import dev.tallystick.engine.graph.run.NodeEvent;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Signalled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a job might leave behind when it ends, and what another process must finish. */
class LooseEndsTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    /** A test that relied on the end of a lease would time out. */
    private static final EngineSettings LONG_LEASES =
            Workbench.SETTINGS.lease(Duration.ofMinutes(10), Duration.ofMillis(100));

    private GraphBench bench;
    private Workbench workbench;

    @BeforeEach
    void open() {
        bench = new GraphBench(postgres.dataSource());
        workbench = bench.workbench();
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void the_sleep_of_a_branch_that_lost_is_gone_when_its_job_has_returned() {
        workbench.workflow(
                "race",
                (ctx, input) -> ctx.any(
                        String.class,
                        List.of(
                                branch -> {
                                    branch.sleep(Duration.ofHours(1));
                                    return "slow";
                                },
                                branch -> branch.await("never", String.class, Duration.ofHours(1))
                                        .orElse("late"),
                                branch -> {
                                    branch.sleep(Duration.ofMillis(20));
                                    return "fast";
                                })));

        assertThat(workbench.run(workbench.start(), "race")).isEqualTo("fast");

        assertThat(workbench.count("posting")).isZero();
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void the_sleep_of_a_cancelled_job_is_gone() {
        workbench.workflow("sleeping", (ctx, input) -> {
            ctx.sleep(Duration.ofHours(1));
            return "";
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "sleeping", "key");
        workbench.awaitParked();

        engine.cancel("default", job);

        assertThat(workbench.await(engine, job).outcome()).isEqualTo(JobOutcome.CANCELLED);
        Eventually.holds("nothing is posted", () -> workbench.count("posting") == 0);
    }

    @Test
    void r7_a_transition_that_moves_no_semaphore_closes_no_job_whatever_its_threshold() {
        Ledgers ledgers = new Ledgers(postgres.dataSource());
        JobId job = ledgers.job(2, 2);
        ActivityId activity = ledgers.activity(job, "1", "a");

        ledgers.collate(leg(activity, 0, 0));
        assertThat(ledgers.state(job)).isEqualTo("2 open");

        ledgers.collate(leg(activity, 1, 1), leg(activity, 2, 0), leg(activity, 3, -1));
        assertThat(ledgers.state(job)).isEqualTo("0 completed");
        assertThat(ledgers.isClosedBy(job, leg(activity, 3, -1))).isTrue();
    }

    @Test
    void a_step_whose_job_was_cancelled_by_another_engine_is_acknowledged_before_its_lease_ends() {
        Signal begun = new Signal("the step runs");
        workbench.workflow(
                "long",
                (ctx, input) -> ctx.step("long", String.class, () -> {
                    begun.fire();
                    new Signal("never").await();
                    return "";
                }));
        Engine engine = workbench.start(workbench.database(), LONG_LEASES, CrashPoints.NONE);
        JobId job = workbench.submit(engine, "long", "key");
        begun.await();
        Engine other = workbench.start(workbench.database(), LONG_LEASES, CrashPoints.NONE, List.of());

        other.cancel("default", job);

        assertThat(workbench.await(other, job).outcome()).isEqualTo(JobOutcome.CANCELLED);
        Eventually.value("nothing is left", workbench::violations, List::isEmpty);
        assertThat(workbench.count("posting")).isZero();
    }

    @Test
    void work_of_a_graph_that_was_cancelled_by_another_engine_is_acknowledged_before_its_lease_ends() {
        Signal begun = new Signal("the work is done");
        bench.graph(Graph.named("long")
                        .trigger("start")
                        .worker("long", "1")
                        .from("start", "long")
                        .build())
                .worker("long", (work, input) -> {
                    begun.fire();
                    new Signal("never").await();
                    return "";
                });
        Engine engine = workbench.start(workbench.database(), LONG_LEASES, CrashPoints.NONE, bench::register);
        JobId job = bench.submit(engine, "long", Map.of());
        begun.await();
        Engine other = workbench.start(workbench.database(), LONG_LEASES, CrashPoints.NONE, List.of());

        other.cancel("default", job);

        assertThat(workbench.await(other, job).outcome()).isEqualTo(JobOutcome.CANCELLED);
        Eventually.value("nothing is left", bench::violations, List::isEmpty);
    }

    @Test
    void an_attempt_that_fails_after_its_job_has_closed_is_its_last() {
        Graph two = Graph.named("two")
                .trigger("start")
                .worker("left", "1")
                .worker("right", "1")
                .from("start", "left", "right")
                .build();
        JobId job = bench.accepted(two);
        GraphDesk desk = new GraphDesk(workbench.database(), two);
        desk.trigger(job, "start");
        List<Lease> leased = desk.lease("me");

        desk.bring(leased.getFirst(), new NodeEvent.Failure("no money"));
        desk.bring(leased.getLast(), new NodeEvent.Again(Duration.ZERO, Fault.of("not yet")));

        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_signal_reaches_a_hook_also_through_an_engine_that_does_not_know_the_graph() {
        bench.graph(waiting(Duration.ofHours(1)));
        Engine engine = bench.start();
        Engine stranger = workbench.start(workbench.database(), Workbench.SETTINGS, CrashPoints.NONE, List.of());
        JobId job = bench.submit(engine, "waiting", Map.of());
        Eventually.holds("the hook waits", () -> workbench.count("posting where awaits = 'news'") == 1);

        assertThat(bench.signal(stranger, job, "news", "k", "hello")).isEqualTo(new Signalled.Kept(false));
        assertThat(bench.signal(stranger, job, "news", "k", "hello")).isEqualTo(new Signalled.Kept(true));

        assertThat(bench.result(workbench.await(engine, job))).isEqualTo(Map.of("late", false, "news", "hello"));
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_signal_through_a_stranger_and_a_time_out_that_race_have_one_winner_and_lose_nothing() {
        bench.graph(waiting(Duration.ofMillis(60)));
        Engine engine = bench.start();
        Engine stranger = workbench.start(workbench.database(), Workbench.SETTINGS, CrashPoints.NONE, List.of());
        List<JobId> jobs = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            jobs.add(bench.submit(engine, "waiting", Map.of()));
        }
        jobs.forEach(job -> bench.signal(stranger, job, "news", "k", "hello"));

        int heard = 0;
        for (JobId job : jobs) {
            Object result = bench.result(workbench.await(engine, job));
            assertThat(result).isIn(Map.of("late", false, "news", "hello"), Map.of("late", true));
            heard += Map.of("late", true).equals(result) ? 0 : 1;
        }
        assertThat(workbench.count("signal where taken_by is not null")).isEqualTo(heard);
        assertThat(bench.violations()).isEmpty();
    }

    private static Graph waiting(Duration patience) {
        return Graph.named("waiting")
                .trigger("start")
                .hook("hook", "news", patience, 1)
                .from("start", "hook")
                .output("{'late': hook.timed_out, 'news': hook.signal}")
                .build();
    }
}
