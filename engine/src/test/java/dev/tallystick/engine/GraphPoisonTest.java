package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.graph.Graph;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Retry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Graphs that no process can run to their end; their neighbours do not notice. */
class GraphPoisonTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final Retry QUICK = Retry.DEFAULT.waiting(Duration.ofMillis(1), Duration.ofMillis(5));

    private final AtomicInteger effects = new AtomicInteger();
    private GraphBench bench;

    @BeforeEach
    void open() {
        bench = new GraphBench(postgres.dataSource());
        bench.graph(single("modest")).worker("modest", (work, input) -> "fine");
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private static Graph single(String name) {
        return Graph.named(name)
                .trigger("start")
                .worker("work", name, "1", QUICK)
                .from("start", "work")
                .output("work")
                .build();
    }

    private void assertNeighboursAreFine(Engine engine) {
        assertThat(bench.result(bench.run(engine, "modest", Map.of()))).isEqualTo("fine");
    }

    @Test
    void work_that_always_throws_fails_its_job_with_a_readable_reason() {
        bench.graph(single("throwing")).worker("throwing", (work, input) -> {
            effects.incrementAndGet();
            throw new IllegalStateException("no money");
        });
        Engine engine = bench.start();

        Closed closed = bench.run(engine, "throwing", Map.of());

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("node 'work' failed", "no money");
        assertThat(effects).hasValue(QUICK.attempts());
        assertNeighboursAreFine(engine);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void work_that_returns_ten_megabytes_fails_its_job_at_once() {
        bench.graph(single("large")).worker("large", (work, input) -> {
            effects.incrementAndGet();
            return "x".repeat(10_000_000);
        });
        Engine engine = bench.start();

        Closed closed = bench.run(engine, "large", Map.of());

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("too large");
        assertThat(effects).hasValue(1);
        assertNeighboursAreFine(engine);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void work_that_runs_out_of_memory_fails_alone() {
        bench.graph(single("greedy")).worker("greedy", (work, input) -> {
            throw new OutOfMemoryError("planted");
        });
        Engine engine = bench.start();

        Closed closed = bench.run(engine, "greedy", Map.of());

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("OutOfMemoryError");
        assertNeighboursAreFine(engine);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void work_that_never_returns_and_ignores_interrupts_ends_with_its_cancelled_job() {
        Signal begun = new Signal("the work is begun");
        Signal released = new Signal("the test is over");
        bench.graph(single("stuck")).worker("stuck", (work, input) -> {
            begun.fire();
            while (!released.hasFired()) {
                Thread.interrupted();
                Thread.onSpinWait();
            }
            return "";
        });
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "stuck", Map.of());
        begun.await();

        engine.cancel("default", job);

        assertThat(bench.workbench().await(engine, job).outcome()).isEqualTo(JobOutcome.CANCELLED);
        assertNeighboursAreFine(engine);
        released.fire();
        Eventually.value("nothing is left", bench.workbench()::violations, List::isEmpty);
    }

    @Test
    void a_signal_that_cannot_be_sent_fails_its_job_and_the_others_go_on() {
        Engine engine = bench.start();
        engine.register(Graph.named("teller")
                .trigger("start")
                .signal("tell", "input", "$cancel", "'x'")
                .from("start", "tell")
                .output("tell")
                .build());
        JobId job = bench.submit(engine, "teller", "00000000-0000-7000-8000-000000000001");

        Closed closed = bench.workbench().await(engine, job);

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("$");
        assertNeighboursAreFine(engine);
    }

    @Test
    void work_that_was_claimed_where_its_graph_is_not_known_has_lost_no_attempt() {
        Engine before = bench.start();
        before.worker("shared", Object.class, (work, input) -> "from before");
        before.register(onTopic("before"));
        Graph later = onTopic("later");
        Engine accepting = bench.workbench().start();
        accepting.register(later);
        JobId job = bench.submit(accepting, "later", Map.of());
        Eventually.holds(
                "it was claimed in vain, more than once",
                () -> bench.workbench().count("posting where queue = 'shared' and fence > 2") == 1);
        before.close();

        Engine deployed = bench.workbench().start();
        deployed.worker("shared", Object.class, (work, input) -> "done");
        deployed.register(later);

        assertThat(bench.result(bench.workbench().await(deployed, job))).isEqualTo("done");
        assertThat(bench.violations()).isEmpty();
    }

    /** Done by a worker of the topic, in one attempt. */
    private static Graph onTopic(String name) {
        return Graph.named(name)
                .trigger("start")
                .topic("work", "shared", "1", Retry.NONE)
                .from("start", "work")
                .output("work")
                .build();
    }

    @Test
    void a_graph_that_is_gone_after_a_deploy_waits_for_an_engine_that_knows_it() {
        Graph waiting = Graph.named("waiting")
                .trigger("start")
                .hook("hook", "go")
                .worker("after", "modest", "1", QUICK)
                .from("start", "hook")
                .from("hook", "after")
                .output("after")
                .build();
        Engine before = bench.start();
        before.register(waiting);
        JobId job = bench.submit(before, "waiting", Map.of());
        Eventually.holds("it waits", () -> bench.workbench().count("posting where awaits = 'go'") == 1);
        bench.workbench().kill(before);

        Engine deployed = bench.start();
        bench.signal(deployed, job, "go", "k", "it");
        assertNeighboursAreFine(deployed);
        assertThat(deployed.why("default", job).text()).contains("hook");
        assertThat(bench.violations()).contains("open job " + job);

        Engine rolledBack = bench.start();
        rolledBack.register(waiting);
        assertThat(bench.result(bench.workbench().await(rolledBack, job))).isEqualTo("fine");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_graph_that_was_changed_under_its_version_fails_its_jobs_and_names_the_node() {
        Engine before = bench.start();
        before.register(changing("old_hook", "old_worker"));
        JobId atHook = bench.submit(before, "changing", Map.of("way", "hook"));
        JobId atWorker = bench.submit(before, "changing", Map.of("way", "worker"));
        Eventually.holds(
                "both are on their ways",
                () -> bench.workbench().count("posting where name in ('old_hook', 'old_worker')") == 2);
        bench.workbench().kill(before);

        Engine deployed = bench.start();
        deployed.register(changing("new_hook", "new_worker"));
        deployed.worker("absent", Object.class, (work, input) -> "");
        bench.signal(deployed, atHook, "go", "k", "it");

        for (JobId job : List.of(atHook, atWorker)) {
            Closed closed = bench.workbench().await(deployed, job);
            assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
            assertThat(closed.error()).contains("node 'old_", "changed under its version 1");
        }
        assertNeighboursAreFine(deployed);
        assertThat(bench.violations()).isEmpty();
    }

    /** No process has the worker before the deploy, so its work stays where it is. */
    private static Graph changing(String hook, String worker) {
        return Graph.named("changing")
                .trigger("start")
                .hook(hook, "go")
                .worker(worker, "absent", "1", QUICK)
                .when("start", "input.way = 'hook'", hook)
                .when("start", "input.way = 'worker'", worker)
                .build();
    }
}
