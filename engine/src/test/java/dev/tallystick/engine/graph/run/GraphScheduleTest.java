package dev.tallystick.engine.graph.run;

import static dev.tallystick.engine.graph.run.GraphDesk.output;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.GraphBench;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.model.Lease;
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
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Schedules that break engines which are not careful, on graphs. Those that code and graphs share have their twins elsewhere. */
class GraphScheduleTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private final AtomicInteger effects = new AtomicInteger();
    private GraphBench bench;

    @BeforeEach
    void open() {
        bench = new GraphBench(postgres.dataSource());
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void a_signal_and_a_time_out_that_race_for_one_hook_have_one_winner_and_lose_nothing() {
        Graph racing = Graph.named("racing")
                .trigger("start")
                .hook("first", "go", Duration.ofMillis(60), 1)
                .hook("second", "go")
                .from("start", "first")
                .when("first", "first.timed_out", "second")
                .output("first.timed_out ? 'late: ' & second.signal : 'in time: ' & first.signal")
                .build();
        JobId early = bench.accepted(racing);
        try (Engine accepting = bench.workbench().idle()) {
            bench.signal(accepting, early, "go", "k", "it");
        }
        bench.graph(racing);
        Engine engine = bench.start();
        Engine other = bench.start();
        JobId late = bench.submit(engine, "racing", Map.of());
        Eventually.holds(
                "it was too late",
                () -> bench.workbench().count("activity where name = 'second' and job_id = '" + late + "'") == 1);
        bench.signal(other, late, "go", "k", "it");
        List<JobId> jobs = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            jobs.add(bench.submit(engine, "racing", Map.of()));
        }
        for (JobId job : jobs) {
            assertThat(bench.signal(other, job, "go", "k", "it")).isEqualTo(new Signalled.Kept(false));
            assertThat(bench.signal(engine, job, "go", "k", "it")).isEqualTo(new Signalled.Kept(true));
        }

        for (JobId job : jobs) {
            assertThat(bench.result(bench.workbench().await(engine, job))).isIn("late: it", "in time: it");
        }
        assertThat(bench.result(bench.workbench().await(engine, early))).isEqualTo("in time: it");
        assertThat(bench.result(bench.workbench().await(engine, late))).isEqualTo("late: it");
        assertThat(bench.violations()).isEmpty();
        assertThat(bench.workbench().count("signal where taken_by is null")).isZero();
    }

    @Test
    void a_job_returns_what_its_last_round_brought_also_if_an_earlier_one_ends_later() {
        bench.graph(Graph.named("rounds")
                        .trigger("start")
                        .hook("round")
                        .worker("step", "input")
                        .worker("beside", "input")
                        .cycle("again", "round")
                        .from("start", "round")
                        .from("round", "step", "beside")
                        .when("step", "round.round < 1", "again")
                        .output("step")
                        .build())
                .worker("step", (work, input) -> work.dimension())
                .worker("beside", (work, input) -> {
                    if (work.dimension().equals("round:0")) {
                        Eventually.holds(
                                "the last round is over",
                                () -> bench.workbench().count("activity where path = 'round:1' and output is not null")
                                        == 2);
                    }
                    return work.dimension();
                });
        Engine engine = bench.start();

        assertThat(bench.result(bench.run(engine, "rounds", Map.of()))).isEqualTo("round:1");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_result_that_comes_after_its_job_was_cancelled_is_recorded_and_changes_nothing() {
        Graph line = Graph.named("line")
                .trigger("start")
                .worker("one", "1")
                .worker("two", "one")
                .from("start", "one")
                .from("one", "two")
                .build();
        JobId job = bench.accepted(line);
        GraphDesk desk = new GraphDesk(bench.workbench().database(), line);
        desk.trigger(job, "start");
        Lease one = desk.lease("me", "one");
        Engine stranger = bench.workbench().start();
        stranger.cancel("default", job);
        assertThat(bench.workbench().await(stranger, job).outcome()).isEqualTo(JobOutcome.CANCELLED);

        assertThat(desk.bring(one, output("late"))).isInstanceOf(NodeReportResult.JobClosed.class);

        assertThat(bench.ledgers(job)).containsEntry("|one", "001111000000001").doesNotContainKey("|two");
        assertThat(bench.workbench().await(stranger, job).outcome()).isEqualTo(JobOutcome.CANCELLED);
        Eventually.value("nothing is left", bench::violations, List::isEmpty);
    }

    @Test
    void children_of_graphs_that_are_cancelled_as_they_begin_end_too() {
        bench.graph(Graph.named("parent")
                        .trigger("start")
                        .worker("before", "1")
                        .await("child", "child", "1")
                        .from("start", "before")
                        .from("before", "child")
                        .build())
                .graph(Graph.named("child")
                        .trigger("start")
                        .hook("never", "never")
                        .from("start", "never")
                        .build())
                .worker("before", (work, input) -> effects.incrementAndGet());
        Engine engine = bench.start();
        Engine other = bench.start();
        List<JobId> jobs = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            JobId job = bench.submit(engine, "parent", Map.of());
            (i % 2 == 0 ? engine : other).cancel("default", job);
            jobs.add(job);
        }

        for (JobId job : jobs) {
            assertThat(bench.workbench().await(engine, job).outcome()).isEqualTo(JobOutcome.CANCELLED);
        }
        Eventually.value("nothing is left", bench::violations, List::isEmpty);
    }

    @Test
    void work_that_outlasts_its_lease_keeps_it_by_heartbeats() {
        bench.graph(Graph.named("long")
                        .trigger("start")
                        .worker("long", "1")
                        .from("start", "long")
                        .output("long")
                        .build())
                .worker("long", (work, input) -> {
                    effects.incrementAndGet();
                    try {
                        new Signal("never").await(Workbench.SETTINGS.lease().multipliedBy(2));
                    } catch (AssertionError expected) {
                        return "long";
                    }
                    return "early";
                });
        Engine engine = bench.start();
        bench.start();

        assertThat(bench.result(bench.run(engine, "long", Map.of()))).isEqualTo("long");
        assertThat(effects).hasValue(1);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void why_says_what_a_graph_waits_for() {
        bench.graph(Graph.named("waiting")
                        .trigger("start")
                        .hook("approval", "approve", Duration.ofHours(1), 1)
                        .timer("pause", Duration.ofHours(1))
                        .await("child", "child", "1")
                        .from("start", "approval", "pause", "child")
                        .build())
                .graph(Graph.named("child")
                        .trigger("start")
                        .hook("never", "never")
                        .from("start", "never")
                        .build());
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "waiting", Map.of());
        Eventually.holds("it waits", () -> engine.why("default", job).waits().size() == 3);

        assertThat(engine.why("default", job).text())
                .contains("a signal 'approve', or the clock at", "the clock, at", "the end of its child job");
    }
}
