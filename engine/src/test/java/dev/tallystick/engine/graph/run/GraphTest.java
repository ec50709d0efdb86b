package dev.tallystick.engine.graph.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.GraphBench;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphBuilder;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.GraphWorker;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Retry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class GraphTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final Retry QUICK = Retry.DEFAULT.waiting(Duration.ofMillis(1), Duration.ofMillis(5));

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
    void a_line_of_workers_leaves_the_ledgers_of_the_document() {
        bench.graph(Graph.named("line")
                        .trigger("start")
                        .worker("one", "{'text': input.text}")
                        .worker("two", "one.said")
                        .from("start", "one")
                        .from("one", "two")
                        .output("{'end': two}")
                        .build())
                .worker("one", (work, input) -> Map.of("said", input + "+1"))
                .worker("two", (work, input) -> input + "+2");
        Engine engine = bench.start();

        JobId job = bench.submit(engine, "line", Map.of("text", "in"));
        Closed closed = bench.workbench().await(engine, job);

        assertThat(bench.result(closed)).isEqualTo(Map.of("end", "{text=in}+1+2"));
        assertThat(bench.ledgers(job))
                .containsExactly(
                        entry("|one", "001111000000001"),
                        entry("|start", "001111000000001"),
                        entry("|two", "001111100000001"));
        assertThat(bench.workbench().guids(job))
                .containsExactly(" one 000011000000001 #0", " start 000011000000001 #0", " two 000111100000001 #0");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void two_branches_that_finish_at_once_are_joined_once() {
        CyclicBarrier both = new CyclicBarrier(2);
        GraphWorker<Object, Object> meet = (work, input) -> {
            both.await();
            return work.node();
        };
        bench.graph(fork().build()).worker("left", meet).worker("right", meet).worker("joined", (work, input) -> {
            effects.incrementAndGet();
            return input;
        });
        Engine engine = bench.start();

        for (int i = 0; i < 20; i++) {
            assertThat(bench.result(bench.run(engine, "fork", Map.of("take", true))))
                    .isEqualTo("leftright");
        }

        assertThat(effects).hasValue(20);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void r8_a_branch_that_a_condition_skips_arrives_as_skipped() {
        bench.graph(fork().build())
                .worker("left", (work, input) -> "left")
                .worker("right", (work, input) -> "right")
                .worker("joined", (work, input) -> input);
        Engine engine = bench.start();

        JobId job = bench.submit(engine, "fork", Map.of("take", false));

        assertThat(bench.result(bench.workbench().await(engine, job))).isEqualTo("right");
        assertThat(bench.ledgers(job)).containsOnlyKeys("|start", "|right", "|joined");
        assertThat(bench.violations()).isEmpty();
    }

    private static GraphBuilder fork() {
        return Graph.named("fork")
                .trigger("start")
                .worker("left", "input")
                .worker("right", "input")
                .worker("joined", "left & right")
                .join("joined")
                .when("start", "input.take", "left")
                .from("start", "right")
                .from("left", "joined")
                .from("right", "joined")
                .output("joined");
    }

    @Test
    void a_join_of_nothing_but_skipped_branches_is_skipped_too() {
        bench.graph(Graph.named("none")
                .trigger("start")
                .worker("left", "1")
                .worker("right", "1")
                .worker("joined", "1")
                .worker("after", "1")
                .join("joined")
                .when("start", "false", "left")
                .when("start", "false", "right")
                .from("left", "joined")
                .from("right", "joined")
                .from("joined", "after")
                .output("'nothing to do'")
                .build());
        for (String name : List.of("left", "right", "joined", "after")) {
            bench.worker(name, (work, input) -> effects.incrementAndGet());
        }
        Engine engine = bench.start();

        assertThat(bench.result(bench.run(engine, "none", "input"))).isEqualTo("nothing to do");
        assertThat(effects).hasValue(0);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_failed_attempt_is_an_attempt_of_the_posting_and_no_leg_two() {
        bench.graph(one(QUICK)).worker("one", (work, input) -> {
            if (effects.incrementAndGet() < 3) {
                throw new IllegalStateException("not yet");
            }
            return "attempt " + work.attempt();
        });
        Engine engine = bench.start();

        JobId job = bench.submit(engine, "single", "input");

        assertThat(bench.result(bench.workbench().await(engine, job))).isEqualTo("attempt 3");
        assertThat(bench.ledgers(job)).containsEntry("|one", "001111100000001");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_worker_that_fails_for_good_fails_its_job_with_a_readable_reason() {
        bench.graph(one(QUICK.attempts(2))).worker("one", (work, input) -> {
            effects.incrementAndGet();
            throw new IllegalStateException("no money");
        });
        Engine engine = bench.start();

        Closed closed = bench.run(engine, "single", "input");

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("node 'one' failed", "no money");
        assertThat(effects).hasValue(2);
        assertThat(bench.violations()).isEmpty();
    }

    private static Graph one(Retry retry) {
        return Graph.named("single")
                .trigger("start")
                .worker("one", "one", "input", retry)
                .from("start", "one")
                .output("one")
                .build();
    }

    @Test
    void a_cycle_goes_round_in_a_dimension_of_its_own_each_time() {
        bench.graph(Graph.named("loop")
                        .trigger("start")
                        .hook("round")
                        .worker("step", "round.round")
                        .cycle("again", "round")
                        .worker("end", "step")
                        .from("start", "round")
                        .from("round", "step")
                        .when("step", "step < 2", "again")
                        .when("step", "step >= 2", "end")
                        .output("end")
                        .build())
                .worker("step", (work, input) -> input)
                .worker("end", (work, input) -> work.dimension() + " " + input);
        Engine engine = bench.start();

        JobId job = bench.submit(engine, "loop", "input");

        assertThat(bench.result(bench.workbench().await(engine, job))).isEqualTo("round:2 2");
        assertThat(bench.ledgers(job))
                .containsExactly(
                        entry("|round", "001111000000003"),
                        entry("|start", "001111000000001"),
                        entry("round:0|again", "001111000000001"),
                        entry("round:0|step", "001111000000001"),
                        entry("round:1|again", "001111000000001"),
                        entry("round:1|step", "001111000000001"),
                        entry("round:2|end", "001111100000001"),
                        entry("round:2|step", "001111000000001"));
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void nested_cycles_have_nested_dimensions() {
        bench.graph(Graph.named("nested")
                        .trigger("start")
                        .hook("outer")
                        .hook("inner")
                        .worker("step", "{'o': outer.round, 'i': inner.round}")
                        .cycle("inner_again", "inner")
                        .cycle("outer_again", "outer")
                        .from("start", "outer")
                        .from("outer", "inner")
                        .from("inner", "step")
                        .when("step", "inner.round < 2", "inner_again")
                        .when("step", "inner.round >= 2 and outer.round < 1", "outer_again")
                        .output("step")
                        .build())
                .worker("step", (work, input) -> {
                    effects.incrementAndGet();
                    return work.dimension();
                });
        Engine engine = bench.start();

        JobId job = bench.submit(engine, "nested", "input");

        assertThat(bench.result(bench.workbench().await(engine, job))).isEqualTo("outer:1/inner:2");
        assertThat(bench.ledgers(job))
                .containsEntry("|outer", "001111000000002")
                .containsEntry("outer:0|inner", "001111000000003")
                .containsEntry("outer:1|inner", "001111000000003")
                .containsEntry("outer:1/inner:0|step", "001111000000001");
        assertThat(effects).hasValue(6);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void r8_a_join_lives_in_the_dimension_of_its_fork_and_hears_of_a_loop_when_it_is_left() {
        bench.graph(Graph.named("mixed")
                        .trigger("start")
                        .hook("round")
                        .worker("step", "round.round")
                        .cycle("again", "round")
                        .worker("beside", "'beside'")
                        .worker("joined", "step & beside")
                        .join("joined")
                        .from("start", "round", "beside")
                        .from("round", "step")
                        .when("step", "step < 3", "again")
                        .when("step", "step >= 3", "joined")
                        .from("beside", "joined")
                        .output("joined")
                        .build())
                .worker("step", (work, input) -> input)
                .worker("beside", (work, input) -> input)
                .worker("joined", (work, input) -> effects.incrementAndGet() + " " + work.dimension() + " " + input);
        Engine engine = bench.start();

        JobId job = bench.submit(engine, "mixed", "input");

        assertThat(bench.result(bench.workbench().await(engine, job))).isEqualTo("1  3beside");
        assertThat(bench.ledgers(job)).containsEntry("|joined", "001111100000001");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_graph_as_deep_as_may_be_is_skipped_to_its_end() {
        GraphBuilder deep = Graph.named("deep").trigger("n0").worker("end", "1").worker("beside", "1");
        for (int i = 1; i < 997; i++) {
            deep.hook("n" + i);
            if (i > 1) {
                deep.from("n" + (i - 1), "n" + i);
            }
        }
        bench.graph(deep.join("end")
                        .when("n0", "input", "n1")
                        .from("n0", "beside")
                        .from("n996", "end")
                        .from("beside", "end")
                        .output("{'last': n996.round, 'end': end}")
                        .build())
                .worker("beside", (work, input) -> input)
                .worker("end", (work, input) -> input);
        Engine engine = bench.start();

        assertThat(bench.result(bench.run(engine, "deep", false))).isEqualTo(Map.of("end", 1));
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void more_rounds_than_share_a_transaction_leave_correct_ledgers() {
        goRound(5 * TransitionWriter.MAX_WAVES);
    }

    @Test
    @Tag("campaign")
    void ten_thousand_rounds_leave_correct_ledgers() {
        goRound(10_000);
    }

    private void goRound(int rounds) {
        bench.graph(Graph.named("many")
                .trigger("start")
                .hook("round")
                .cycle("again", "round")
                .from("start", "round")
                .when("round", "round.round < input - 1", "again")
                .output("round.round")
                .build());
        Engine engine = bench.start();

        JobId job = bench.submit(engine, "many", rounds);
        Closed closed = bench.awaitLong(engine, job);

        assertThat(bench.result(closed)).isEqualTo(rounds - 1);
        assertThat(bench.ledgers(job))
                .hasSize(2 + rounds - 1)
                .containsEntry("|round", "0011111%08d".formatted(rounds))
                .containsEntry("round:0|again", "001111000000001")
                .containsEntry("round:" + (rounds - 2) + "|again", "001111000000001");
        assertThat(bench.violations()).isEmpty();
    }
}
