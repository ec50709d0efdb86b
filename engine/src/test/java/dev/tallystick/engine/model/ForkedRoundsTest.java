package dev.tallystick.engine.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.ForkedGraphs;
import dev.tallystick.engine.GraphBench;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphBuilder;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.ForkRefusedException;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.Work;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Forks of jobs whose rounds ran side by side and overtook each other. */
class ForkedRoundsTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private final List<String> done = new CopyOnWriteArrayList<>();
    private final Signal overtaken = new Signal("the second inner round to overtake the first");
    private GraphBench bench;

    @BeforeEach
    void open() {
        bench = new GraphBench(postgres.dataSource());
        bench.worker(ForkedGraphs.WORKER, this::work);
        GraphBuilder graph =
                Graph.named("nested").trigger("start").hook("outer").hook("inner");
        ForkedGraphs.worker(graph, "look", "inner.round");
        ForkedGraphs.worker(graph, "decide", "inner.round");
        ForkedGraphs.worker(graph, "after", "outer.round");
        bench.graph(graph.cycle("look_again", "inner")
                .cycle("begin_again", "outer")
                .from("start", "outer")
                .from("outer", "inner")
                .from("inner", "look")
                .from("look", "decide")
                .when("look", "inner.round < 1 and outer.round < 1", "look_again")
                .when("decide", "outer.round < 1", "begin_again")
                .when("decide", "outer.round >= 1", "after")
                .output("after")
                .build());
    }

    @AfterEach
    void close() {
        bench.close();
    }

    /** The first inner round comes to the second outer one after the second inner round did. */
    private Object work(Work work, Object input) {
        String place = work.node() + "@" + work.dimension();
        if (place.equals("decide@outer:0/inner:0")) {
            overtaken.await();
        }
        if (place.startsWith("look@outer:1")) {
            overtaken.fire();
        }
        done.add(place);
        return work.node() + "(" + input + ")";
    }

    @Test
    void a_fork_follows_rounds_in_the_order_in_which_they_came() {
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "nested", 1);
        Object first = bench.result(bench.workbench().await(engine, job));
        assertThat(done).contains("after@outer:1/inner:0", "after@outer:2/inner:0");
        done.clear();

        JobId fork = engine.reruns().fork("default", job, "after@outer:2/inner:0");

        assertThat(bench.result(bench.workbench().await(engine, fork))).isEqualTo(first);
        assertThat(done).containsExactly("after@outer:2/inner:0");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_fork_that_drops_a_round_but_not_the_one_that_came_after_it_is_refused() {
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "nested", 1);
        bench.workbench().await(engine, job);

        assertThatThrownBy(() -> engine.reruns().fork("default", job, "decide@outer:0/inner:1"))
                .isInstanceOf(ForkRefusedException.class)
                .hasMessageContaining("goes another way");
    }
}
