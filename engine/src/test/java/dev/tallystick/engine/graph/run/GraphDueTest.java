package dev.tallystick.engine.graph.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.GraphBench;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.model.Backlog;
import dev.tallystick.engine.model.Queues;
import dev.tallystick.sql.Tx;
import dev.tallystick.testkit.TestPostgres;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** To find what is due in graphs costs what there is to do here, whatever waits for graphs that others have. */
class GraphDueTest {

    private static final int MANY = 5_000;

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private GraphBench bench;

    @BeforeEach
    void open() {
        bench = new GraphBench(postgres.dataSource());
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private static Graph graph(String name) {
        return Graph.named(name)
                .trigger("start")
                .hook("wait", "go")
                .from("start", "wait")
                .build();
    }

    /** Jobs of which no engine has done anything. */
    private void accepted(String graph, int number) {
        try (Engine idle = bench.workbench().idle()) {
            idle.register(graph(graph));
            for (int i = 0; i < number; i++) {
                bench.submit(idle, graph, Map.of());
            }
        }
    }

    private static long touched(Tx tx) throws SQLException {
        return tx.first("""
                        select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) as n
                        from pg_stat_xact_user_tables
                        where relid in ('tally.posting'::regclass, 'tally.job'::regclass)
                        """, row -> row.getLong("n")).orElseThrow();
    }

    @Test
    void postings_of_graphs_that_are_not_here_are_not_walked() {
        new Backlog(bench.workbench().database()).due(MANY, "theirs", "theirs", Queues.ofGraph("theirs@1"));
        accepted("ours", 2);

        bench.workbench().database().transact("look", tx -> {
            List<DueNodeStore.Due> due = new DueNodeStore().due(tx, Set.of("ours@1"), Duration.ofMinutes(1), 100);
            assertThat(due).hasSize(2);
            assertThat(touched(tx)).as("rows touched").isLessThan(50);
            return null;
        });
    }

    @Test
    void jobs_of_a_graph_that_nobody_has_are_named_with_it() {
        accepted("theirs", 3);

        assertThat(bench.start().unclaimed())
                .singleElement()
                .satisfies(unclaimed -> assertThat(unclaimed.workflow()).isEqualTo("theirs"))
                .satisfies(unclaimed -> assertThat(unclaimed.jobs()).isEqualTo(3));
    }
}
