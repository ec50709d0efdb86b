package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphBuilder;
import dev.tallystick.engine.graph.run.GraphDesk;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Limit;
import dev.tallystick.workflow.Signalled;
import dev.tallystick.workflow.WorkflowType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Graphs that wait: for signals, for time, for other jobs; and graphs that are ended. */
class GraphHooksTest {

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

    private static GraphBuilder approval(Duration patience) {
        return Graph.named("approval")
                .trigger("start")
                .hook("approval", "approve", patience, 1)
                .worker("ship", "approval.signal")
                .worker("remind", "approval")
                .from("start", "approval")
                .when("approval", "approval.timed_out = false", "ship")
                .when("approval", "approval.timed_out", "remind")
                .output("{'shipped': ship, 'reminded': remind}");
    }

    @Test
    void a_signal_moves_a_hook_on_and_a_repeat_gets_its_original_answer() {
        bench.graph(approval(Duration.ofHours(1)).build())
                .worker("ship", (work, input) -> input)
                .worker("remind", (work, input) -> "late");
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "approval", "input");

        assertThat(bench.signal(engine, job, "approve", "k1", "by Ada")).isEqualTo(new Signalled.Kept(false));
        Closed closed = bench.workbench().await(engine, job);

        assertThat(bench.result(closed)).isEqualTo(Map.of("shipped", "by Ada"));
        assertThat(bench.signal(engine, job, "approve", "k1", "by Ada")).isEqualTo(new Signalled.Kept(true));
        assertThat(bench.signal(engine, job, "approve", "k2", "by Bob")).isEqualTo(new Signalled.JobClosed());
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_hook_whose_time_is_up_goes_the_other_way() {
        bench.graph(approval(Duration.ofMillis(50)).build())
                .worker("ship", (work, input) -> input)
                .worker("remind", (work, input) -> "late");
        Engine engine = bench.start();

        assertThat(bench.result(bench.run(engine, "approval", "input"))).isEqualTo(Map.of("reminded", "late"));
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_signal_that_comes_before_its_hook_is_kept_for_it() {
        Signal go = new Signal("go");
        bench.graph(Graph.named("early")
                        .trigger("start")
                        .worker("first", "1")
                        .hook("hook", "news")
                        .from("start", "first")
                        .from("first", "hook")
                        .output("hook.signal")
                        .build())
                .worker("first", (work, input) -> {
                    go.await();
                    return 1;
                });
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "early", "input");

        bench.signal(engine, job, "news", "k1", "early news");
        go.fire();

        assertThat(bench.result(bench.workbench().await(engine, job))).isEqualTo("early news");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_hook_takes_two_signals_while_a_sibling_runs() {
        Signal bothCame = new Signal("both signals");
        bench.graph(Graph.named("two")
                        .trigger("start")
                        .hook("votes", "vote", null, 2)
                        .worker("count", "votes.signal")
                        .worker("sibling", "1")
                        .from("start", "votes", "sibling")
                        .from("votes", "count")
                        .output("count")
                        .build())
                .worker("count", (work, input) -> {
                    if (effects.incrementAndGet() == 2) {
                        bothCame.fire();
                    }
                    return input;
                })
                .worker("sibling", (work, input) -> {
                    bothCame.await();
                    return 1;
                });
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "two", "input");

        bench.signal(engine, job, "vote", "a", "yes");
        bench.signal(engine, job, "vote", "b", "no");

        assertThat(bench.workbench().await(engine, job).outcome()).isEqualTo(JobOutcome.COMPLETED);
        assertThat(bench.ledgers(job))
                .containsEntry("|votes", "001111000000002")
                .containsKeys("votes:0|count", "votes:1|count");
        assertThat(effects).hasValue(2);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void signals_through_processes_without_the_graph_each_reach_a_wait_of_their_own() {
        Graph graph = Graph.named("votes")
                .trigger("start")
                .hook("votes", "vote", null, 3)
                .worker("count", "votes.signal")
                .from("start", "votes")
                .from("votes", "count")
                .build();
        JobId job = bench.accepted(graph);
        new GraphDesk(bench.workbench().database(), graph).trigger(job, "start");
        Set<Object> counted = ConcurrentHashMap.newKeySet();
        try (Engine stranger = bench.workbench().idle()) {
            bench.signal(stranger, job, "vote", "a", "yes");
            bench.signal(stranger, job, "vote", "b", "no");
            bench.signal(stranger, job, "vote", "c", "perhaps");
        }
        bench.graph(graph).worker("count", (work, input) -> counted.add(input));

        bench.workbench().await(bench.start(), job);

        assertThat(counted).containsExactlyInAnyOrder("yes", "no", "perhaps");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_timer_lets_time_pass() {
        bench.graph(Graph.named("later")
                .trigger("start")
                .timer("pause", Duration.ofMillis(50))
                .from("start", "pause")
                .output("pause.timed_out")
                .build());
        Engine engine = bench.start();

        assertThat(bench.result(bench.run(engine, "later", "input"))).isEqualTo(true);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void an_await_runs_another_graph_and_gets_its_output() {
        bench.graph(Graph.named("parent")
                        .trigger("start")
                        .await("child", "child", "{'n': input.n}")
                        .worker("after", "child")
                        .from("start", "child")
                        .from("child", "after")
                        .output("after")
                        .build())
                .graph(Graph.named("child")
                        .trigger("begin")
                        .worker("twice", "input.n * 2")
                        .from("begin", "twice")
                        .output("twice")
                        .build())
                .worker("twice", (work, input) -> input)
                .worker("after", (work, input) -> "got " + input);
        Engine engine = bench.start();

        assertThat(bench.result(bench.run(engine, "parent", Map.of("n", 21)))).isEqualTo("got 42");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void an_await_runs_code_too_and_fails_when_that_does() {
        bench.workbench().workflow("code", (ctx, input) -> {
            if (String.valueOf(input).equals("bad")) {
                throw new IllegalStateException("bad input");
            }
            return ctx.step("greet", String.class, () -> "hello " + input);
        });
        bench.graph(Graph.named("parent")
                .trigger("start")
                .await("child", "code", "input")
                .from("start", "child")
                .output("child")
                .build());
        Engine engine = bench.start();

        assertThat(bench.result(bench.run(engine, "parent", "Ada"))).isEqualTo("hello Ada");
        Closed failed = bench.run(engine, "parent", "bad");
        assertThat(failed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(failed.error()).contains("node 'child' failed", "bad input");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void what_a_graph_awaits_has_the_limit_of_its_own_workflow() {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        bench.graph(Graph.named("all")
                .trigger("start")
                .await("one", "limited", "'1'")
                .await("two", "limited", "'2'")
                .await("three", "limited", "'3'")
                .from("start", "one", "two", "three")
                .output("one & two & three")
                .build());
        Engine engine = bench.workbench().idle();
        engine.register(WorkflowType.of("limited", String.class, String.class, (ctx, input) -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    String done = ctx.step("work", String.class, () -> input);
                    running.decrementAndGet();
                    return done;
                })
                .limit(Limit.<String>overall().concurrency(1)));
        bench.register(engine).start();

        try (engine) {
            assertThat(bench.result(bench.run(engine, "all", "input"))).isEqualTo("123");
        }
        assertThat(most).hasValue(1);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void code_may_run_a_graph_as_its_child() {
        bench.graph(Graph.named("graph")
                .trigger("start")
                .hook("pass")
                .from("start", "pass")
                .output("'from a graph, for ' & input")
                .build());
        bench.workbench().workflow("code", (ctx, input) -> ctx.child("graph", input, String.class));
        Engine engine = bench.start();

        assertThat(bench.workbench().run(engine, "code")).isEqualTo("from a graph, for input");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_signal_node_sends_to_another_job_once() {
        bench.graph(Graph.named("sender")
                        .trigger("start")
                        .signal("tell", "input.to", "news", "{'text': 'hello'}")
                        .from("start", "tell")
                        .output("tell.delivered")
                        .build())
                .graph(Graph.named("receiver")
                        .trigger("start")
                        .hook("hook", "news")
                        .from("start", "hook")
                        .output("hook.signal.text")
                        .build());
        Engine engine = bench.start();
        JobId receiver = bench.submit(engine, "receiver", "input");

        Closed sent = bench.run(engine, "sender", Map.of("to", receiver.toString()));

        assertThat(bench.result(sent)).isEqualTo(true);
        assertThat(bench.result(bench.workbench().await(engine, receiver))).isEqualTo("hello");
        assertThat(bench.workbench().count("signal")).isEqualTo(1);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void an_interrupt_ends_the_job_whatever_is_still_open() {
        bench.graph(Graph.named("stop")
                        .trigger("start")
                        .worker("check", "1")
                        .hook("never", "never")
                        .interrupt("refuse", JobOutcome.FAILED, "'refused: ' & check")
                        .from("start", "check", "never")
                        .from("check", "refuse")
                        .build())
                .worker("check", (work, input) -> "no stock");
        Engine engine = bench.start();

        Closed closed = bench.run(engine, "stop", "input");

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).isEqualTo("refused: no stock");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void cancelling_a_graph_ends_it_and_its_children() {
        bench.graph(Graph.named("parent")
                        .trigger("start")
                        .await("child", "child", "input")
                        .from("start", "child")
                        .build())
                .graph(Graph.named("child")
                        .trigger("start")
                        .hook("never", "never")
                        .from("start", "never")
                        .build());
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "parent", "input");

        engine.cancel("default", job);

        assertThat(bench.workbench().await(engine, job).outcome()).isEqualTo(JobOutcome.CANCELLED);
        List<JobId> children = bench.workbench()
                .database()
                .transact(
                        "children",
                        tx -> tx.query(
                                "select id from tally.job where parent_job is not null",
                                row -> new JobId(row.getObject("id", UUID.class))));
        children.forEach(child ->
                assertThat(bench.workbench().await(engine, child).outcome()).isEqualTo(JobOutcome.CANCELLED));
    }

    @Test
    void an_expression_that_cannot_be_evaluated_fails_its_job_and_names_the_node() {
        bench.graph(Graph.named("wrong")
                        .trigger("start")
                        .worker("one", "input.text * 2")
                        .from("start", "one")
                        .build())
                .worker("one", (work, input) -> input);
        Engine engine = bench.start();

        Closed closed = bench.run(engine, "wrong", Map.of("text", "no number"));

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("node 'one'", "input.text * 2");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void an_expression_without_end_is_stopped_and_fails_its_job_alone() {
        bench.graph(Graph.named("endless")
                        .trigger("start")
                        .worker("one", "($f := function($n) { $f($n + 1) }; $f(0))")
                        .from("start", "one")
                        .build())
                .worker("one", (work, input) -> input);
        Engine engine = bench.start();

        assertThat(bench.run(engine, "endless", "input").outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(bench.violations()).isEmpty();
    }
}
