package dev.tallystick.engine.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.GraphBench;
import dev.tallystick.engine.Registrations;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphLimit;
import dev.tallystick.engine.model.LaneRule;
import dev.tallystick.engine.model.NewJob;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.ForkRefusedException;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.Submission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Limits of graphs: a job holds its place from its trigger until it closes. */
class GraphLimitTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
    private final Map<String, Integer> most = new ConcurrentHashMap<>();
    private final AtomicBoolean broken = new AtomicBoolean();
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
    void of_each_key_no_more_run_at_once_than_the_limit_allows_also_in_two_processes() {
        countWork();
        bench.graph(work(GraphLimit.per("input.customer").concurrency(2)));
        List<Engine> engines = List.of(bench.start(), bench.start());
        List<JobId> jobs = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            jobs.add(bench.submit(engines.get(i % 2), "work", customer(i % 3 == 0 ? "a" : "b")));
        }

        jobs.forEach(job -> assertThat(
                        bench.workbench().await(engines.getFirst(), job).outcome())
                .isEqualTo(JobOutcome.COMPLETED));

        assertThat(most).containsOnlyKeys("a", "b");
        assertThat(most.values()).allSatisfy(count -> assertThat(count).isLessThanOrEqualTo(2));
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_job_that_waits_holds_its_place_until_it_closes_and_other_keys_are_not_held_up() {
        bench.graph(waiting(GraphLimit.per("input.customer").concurrency(1)));
        Engine engine = bench.start();
        JobId first = bench.submit(engine, "waiting", customer("a"));
        Eventually.holds("it waits", () -> waits() == 1);
        JobId second = bench.submit(engine, "waiting", customer("a"));
        JobId other = bench.submit(engine, "waiting", customer("b"));
        Eventually.holds("the other key has begun", () -> waits() == 2);

        assertThat(engine.why("default", second).text()).contains("its turn", "has a limit", "key 'a'");
        assertThat(begun()).isEqualTo(2);

        bench.signal(engine, first, "go", "k", "on");
        Eventually.holds("the second one has begun", () -> begun() == 3);
        bench.signal(engine, second, "go", "k", "on");
        bench.signal(engine, other, "go", "k", "on");
        List.of(first, second, other)
                .forEach(job -> assertThat(bench.result(bench.workbench().await(engine, job)))
                        .isEqualTo("on"));
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_job_that_is_cancelled_frees_its_place_and_one_that_waits_for_its_turn_leaves_nothing() {
        bench.graph(waiting(GraphLimit.overall().concurrency(1)));
        Engine engine = bench.start();
        JobId first = bench.submit(engine, "waiting", customer("a"));
        Eventually.holds("it waits", () -> waits() == 1);
        JobId second = bench.submit(engine, "waiting", customer("b"));
        JobId third = bench.submit(engine, "waiting", customer("c"));

        engine.cancel("default", second);
        assertThat(bench.workbench().await(engine, second).outcome()).isEqualTo(JobOutcome.CANCELLED);
        engine.cancel("default", first);

        Eventually.holds("the third one has begun", () -> waits() == 1);
        bench.signal(engine, third, "go", "k", "on");
        assertThat(bench.result(bench.workbench().await(engine, third))).isEqualTo("on");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_job_whose_end_is_under_way_is_not_let_begin() {
        JobId job = bench.accepted(waiting(GraphLimit.overall().concurrency(1)), customer("a"));
        Lanes lanes = new Lanes(bench.workbench().database(), Duration.ofSeconds(1));
        LaneRule rule = GraphLimit.overall().concurrency(1).rule("waiting");
        IntSupplier admit = () -> bench.workbench()
                .database()
                .transact(
                        "admit", tx -> lanes.admit(tx, Map.of(rule.workflow(), rule), Set.of("$graph:waiting@1"), 10));

        int meanwhile = bench.workbench().database().transact("lock", tx -> {
            tx.query("select 1 from tally.job where id = ? for update", row -> 1, job.value());
            return admit.getAsInt();
        });

        assertThat(meanwhile).isZero();
        assertThat(bench.workbench().count("posting where name = '$place'")).isZero();
        assertThat(admit.getAsInt()).isEqualTo(1);
    }

    @Test
    void no_more_begin_within_a_period_than_the_rate_allows() {
        countWork();
        bench.graph(work(GraphLimit.overall().rate(3, Duration.ofHours(1))));
        List<Engine> engines = List.of(bench.start(), bench.start());
        for (int i = 0; i < 8; i++) {
            bench.submit(engines.get(i % 2), "work", customer("a"));
        }

        Eventually.holds("the first three are done", () -> closed() == 3);
        anHourPasses();
        Eventually.holds("three more are done", () -> closed() == 6);
        anHourPasses();
        Eventually.holds("all are done", () -> closed() == 8);

        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void after_a_kill_its_jobs_keep_their_places_and_go_on_elsewhere() {
        Signal begun = new Signal("the doomed engine is at work");
        AtomicInteger runs = new AtomicInteger();
        bench.worker("work", (work, input) -> {
            if (runs.incrementAndGet() == 1) {
                begun.fire();
                new CountDownLatch(1).await(20, TimeUnit.SECONDS);
            }
            return "done";
        });
        bench.graph(work(GraphLimit.overall().concurrency(1)));
        Engine doomed = bench.start();
        JobId first = bench.submit(doomed, "work", customer("a"));
        begun.await();
        JobId second = bench.submit(doomed, "work", customer("a"));
        bench.workbench().kill(doomed);

        Engine survivor = bench.start();

        assertThat(bench.workbench().await(survivor, first).outcome()).isEqualTo(JobOutcome.COMPLETED);
        assertThat(bench.workbench().await(survivor, second).outcome()).isEqualTo(JobOutcome.COMPLETED);
        assertThat(runs).hasValue(3);
        assertThat(inOrderOfTheirEnds()).containsExactly(first, second);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void an_input_without_a_key_is_refused_when_it_is_submitted() {
        bench.graph(waiting(GraphLimit.per("input.customer").concurrency(1)))
                .graph(Graph.named("parent")
                        .trigger("start")
                        .await("child", "waiting", "input")
                        .from("start", "child")
                        .build());
        Engine engine = bench.start();

        assertThatThrownBy(() -> bench.submit(engine, "waiting", Map.of("customer", 42)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the limit of workflow 'waiting' has no key for this input")
                .hasMessageContaining("a key is a text");
        assertThatThrownBy(() -> bench.submit(engine, "waiting", customer("x".repeat(201))))
                .hasMessageContaining("up to 200 characters");
        assertThat(bench.workbench().count("job")).isZero();
        assertThat(bench.run(engine, "parent", Map.of()).error())
                .contains("the limit of workflow 'waiting' has no key for this input", "comes to nothing");
    }

    @Test
    void a_key_that_takes_too_long_is_refused_and_keeps_no_one_waiting() {
        bench.graph(waiting(
                GraphLimit.per("($f := function($n) {$f($n + 1)}; $f(0))").concurrency(1)));

        assertThatThrownBy(() -> bench.submit(bench.start(), "waiting", customer("a")))
                .hasMessageContaining("cannot be evaluated");
    }

    @Test
    void a_fork_or_redrive_takes_a_place_or_is_refused() {
        bench.worker("work", (work, input) -> {
            if (broken.get()) {
                throw new IllegalStateException("no money");
            }
            return "done";
        });
        bench.graph(Graph.named("pay")
                .trigger("start")
                .worker("work", "work", "input", Retry.NONE)
                .hook("hold", "go")
                .from("start", "work")
                .from("work", "hold")
                .output("hold.signal")
                .limit(GraphLimit.per("input.customer").concurrency(1))
                .build());
        Engine engine = bench.start();
        broken.set(true);
        JobId failed = bench.submit(engine, "pay", customer("a"));
        assertThat(bench.workbench().await(engine, failed).error()).contains("no money");
        broken.set(false);
        JobId running = bench.submit(engine, "pay", customer("a"));
        Eventually.holds("the key is taken", () -> waits() == 1);

        assertThatThrownBy(() -> engine.reruns().redrive("default", failed))
                .isInstanceOfSatisfying(
                        ForkRefusedException.class,
                        refused -> assertThat(refused.reason()).isEqualTo(ForkRefusedException.Reason.OVER_LIMIT))
                .hasMessageContaining("key 'a'");
        bench.signal(engine, running, "go", "k", "on");
        bench.workbench().await(engine, running);
        JobId redriven = engine.reruns().redrive("default", failed);
        Eventually.holds("it continues", () -> waits() == 1);
        JobId rerun = engine.reruns().rerun("default", failed);
        assertThat(engine.why("default", rerun).text()).contains("its turn");
        assertThatThrownBy(() -> engine.reruns().fork("default", running, "hold"))
                .isInstanceOf(ForkRefusedException.class);

        bench.signal(engine, redriven, "go", "k", "on");
        assertThat(bench.result(bench.workbench().await(engine, redriven))).isEqualTo("on");
        bench.signal(engine, rerun, "go", "k", "on");
        assertThat(bench.result(bench.workbench().await(engine, rerun))).isEqualTo("on");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_process_that_does_not_run_the_graph_submits_within_its_limit() {
        Graph graph = waiting(GraphLimit.per("input.customer").concurrency(1));
        new Registrations(bench.workbench().database()).add(graph);
        List<JobId> jobs;
        try (Engine submitting = bench.workbench().idle()) {
            jobs = List.of(
                    bench.submit(submitting, "waiting", customer("a")),
                    bench.submit(submitting, "waiting", customer("a")));
        }
        bench.graph(graph);
        Engine engine = bench.start();
        Eventually.holds("one has begun", () -> waits() == 1);

        assertThat(begun()).isEqualTo(1);
        jobs.forEach(job -> bench.signal(engine, job, "go", "k", "on"));
        jobs.forEach(job ->
                assertThat(bench.workbench().await(engine, job).outcome()).isEqualTo(JobOutcome.COMPLETED));
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void versions_side_by_side_share_the_limit_of_the_newest_and_one_that_has_lost_it_leaves_no_job_behind() {
        Graph first = waiting(GraphLimit.overall().concurrency(1));
        JobId left = bench.accepted(first, customer("a"));
        bench.graph(new Graph(first.name(), 1, first.places(), first.output(), null));

        Engine engine = bench.start();
        Eventually.holds("it has begun", () -> waits() == 1);
        bench.signal(engine, left, "go", "k", "on");
        bench.workbench().await(engine, left);

        bench.graph(new Graph(first.name(), 2, first.places(), first.output(), first.limit()));
        Engine both = bench.start();
        JobId newer = bench.submit(both, "waiting", customer("a"));
        Eventually.holds("the newer one has begun", () -> waits() == 1);
        assertThat(bench.workbench().count("posting where name = '$place'")).isEqualTo(1);
        bench.signal(both, newer, "go", "k", "on");
        bench.workbench().await(both, newer);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_job_that_was_let_begin_is_not_put_back_by_a_repeat_and_goes_on_in_another_process() {
        bench.graph(waiting(GraphLimit.overall().concurrency(1)));
        Engine engine = bench.workbench().idle();
        bench.register(engine);
        Submission submission = bench.workbench().submission("waiting", "key", "input");
        NewJob job = engine.unbegun(submission).job();
        JobStore store = new JobStore();
        Lanes lanes = new Lanes(bench.workbench().database(), Duration.ofSeconds(1));
        LaneRule rule = GraphLimit.overall().concurrency(1).rule("waiting");

        boolean admitted = bench.workbench().database().transact("start and admit", tx -> {
            store.start(tx, List.of(job), Duration.ZERO);
            return lanes.admitNow(tx, job, rule);
        });
        bench.workbench().database().transact("start again", tx -> {
            store.start(tx, List.of(job), Duration.ZERO);
            return null;
        });

        assertThat(admitted).isTrue();
        assertThat(bench.workbench().count("posting where queue = '$graph:waiting@1'"))
                .isEqualTo(1);
        assertThat(bench.workbench().count("posting where queue = '$graph:waiting@1[]*'"))
                .isEqualTo(1);
        engine.close();
        Engine other = bench.start();
        bench.signal(other, job.id(), "go", "k", "on");
        assertThat(bench.result(bench.workbench().await(other, job.id()))).isEqualTo("on");
        assertThat(bench.violations()).isEmpty();
    }

    private static Map<String, Object> customer(String name) {
        return Map.of("customer", name);
    }

    private static Graph work(GraphLimit limit) {
        return Graph.named("work")
                .trigger("start")
                .worker("work", "input.customer")
                .from("start", "work")
                .limit(limit)
                .build();
    }

    private static Graph waiting(GraphLimit limit) {
        return Graph.named("waiting")
                .trigger("start")
                .hook("hold", "go")
                .from("start", "hold")
                .output("hold.signal")
                .limit(limit)
                .build();
    }

    /** Notes how many of its key are at work at once. */
    private void countWork() {
        bench.worker("work", (work, input) -> {
            AtomicInteger count = running.computeIfAbsent(String.valueOf(input), absent -> new AtomicInteger());
            most.merge(String.valueOf(input), count.incrementAndGet(), Math::max);
            new CountDownLatch(1).await(10, TimeUnit.MILLISECONDS);
            count.decrementAndGet();
            return "done";
        });
    }

    private long waits() {
        return bench.workbench().count("posting where name = 'hold'");
    }

    /** Those whose trigger is done. */
    private long begun() {
        return bench.workbench().count("guid where name = 'start'");
    }

    private long closed() {
        return bench.workbench().count("job where closed_by is not null");
    }

    private List<JobId> inOrderOfTheirEnds() {
        return bench.workbench()
                .database()
                .transact(
                        "ends",
                        tx -> tx.query(
                                "select id from tally.job order by closed_at",
                                row -> new JobId(row.getObject("id", UUID.class))));
    }

    private void anHourPasses() {
        assertThat(begun()).isEqualTo(closed());
        bench.workbench().database().transact("age", tx -> tx.update("""
                update tally.lane
                set starts = array(select b - interval '1 hour' from unnest(starts) as b)
                """));
    }
}
