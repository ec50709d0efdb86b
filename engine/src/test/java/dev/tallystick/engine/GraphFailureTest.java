package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphBuilder;
import dev.tallystick.engine.graph.GraphYaml;
import dev.tallystick.engine.graph.InvalidGraphException;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Retry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Graphs that continue when a node fails. */
class GraphFailureTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private final List<String> done = new CopyOnWriteArrayList<>();
    private GraphBench bench;

    @BeforeEach
    void open() {
        bench = new GraphBench(postgres.dataSource());
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private static GraphBuilder order() {
        return Graph.named("order")
                .trigger("start")
                .worker("charge", "charge", "input", Retry.NONE)
                .worker("ship", "charge")
                .worker("apologise", "charge.error")
                .worker("file", "input")
                .join("file")
                .from("start", "charge")
                .from("charge", "ship")
                .onFailure("charge", "apologise")
                .from("ship", "file")
                .from("apologise", "file")
                .output("{'shipped': ship, 'apology': apologise}");
    }

    private void workers(boolean fails) {
        bench.worker("charge", (work, input) -> {
                    if (fails) {
                        throw new IllegalStateException("no money");
                    }
                    return "charged";
                })
                .worker("ship", (work, input) -> note("ship", input))
                .worker("apologise", (work, input) -> note("apologise", input))
                .worker("file", (work, input) -> note("file", input));
    }

    private Object note(String worker, Object input) {
        done.add(worker);
        return input;
    }

    @Test
    void a_node_that_fails_leads_to_what_handles_it_and_the_other_way_is_skipped() {
        bench.graph(order().build());
        workers(true);
        Engine engine = bench.start();

        Closed closed = bench.run(engine, "order", "input");

        assertThat(closed.outcome()).isEqualTo(JobOutcome.COMPLETED);
        assertThat(bench.result(closed)).asString().contains("no money").doesNotContain("shipped");
        assertThat(done).containsExactly("apologise", "file");
        assertThat(bench.violations()).isEmpty();
        assertThat(engine.reruns().deadLetters("default", 10)).isEmpty();
    }

    @Test
    void a_node_that_succeeds_skips_the_way_of_its_failure_and_a_join_does_not_wait_for_it() {
        bench.graph(order().build());
        workers(false);
        Engine engine = bench.start();

        assertThat(bench.result(bench.run(engine, "order", "input"))).isEqualTo(Map.of("shipped", "charged"));
        assertThat(done).containsExactly("ship", "file");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_graph_that_says_so_in_yaml_is_the_same_graph_and_a_node_that_cannot_fail_is_refused() {
        Graph graph = order().build();

        assertThat(GraphYaml.read("order.yaml", GraphYaml.write(graph))).isEqualTo(graph);
        assertThatThrownBy(() -> Graph.named("wrong")
                        .trigger("start")
                        .worker("work", "input")
                        .onFailure("start", "work")
                        .build())
                .isInstanceOf(InvalidGraphException.class)
                .hasMessageContaining("a trigger does not fail");
    }

    @Test
    void a_job_of_a_graph_that_fails_is_a_dead_letter_that_can_be_rerun() {
        bench.graph(Graph.named("plain")
                        .trigger("start")
                        .worker("charge", "charge", "input", Retry.NONE)
                        .from("start", "charge")
                        .output("charge")
                        .build())
                .worker("charge", (work, input) -> {
                    done.add("charge");
                    if (done.size() == 1) {
                        throw new IllegalStateException("no money");
                    }
                    return input;
                });
        Engine engine = bench.start();
        Closed closed = bench.run(engine, "plain", "input");

        assertThat(engine.reruns().deadLetters("default", 10))
                .singleElement()
                .satisfies(letter -> assertThat(letter.job()).isEqualTo(closed.job()));
        JobId again = engine.reruns().rerun("default", closed.job());
        assertThat(bench.result(bench.workbench().await(engine, again))).isEqualTo("input");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void an_awaited_workflow_that_there_is_none_of_takes_the_way_on_failure() {
        bench.graph(Graph.named("hopeful")
                .trigger("start")
                .await("child", "nowhere", "input")
                .hook("sorry")
                .from("start", "child")
                .onFailure("child", "sorry")
                .output("child.error")
                .build());
        bench.graph(Graph.named("hopeless")
                .trigger("start")
                .await("child", "nowhere", "input")
                .from("start", "child")
                .build());
        Engine engine = bench.start();

        assertThat(bench.result(bench.run(engine, "hopeful", 1))).isEqualTo("no workflow 'nowhere' is registered");
        assertThat(bench.run(engine, "hopeless", 1).error())
                .isEqualTo("node 'child' failed: no workflow 'nowhere' is registered");
        assertThat(bench.violations()).isEmpty();
    }
}
