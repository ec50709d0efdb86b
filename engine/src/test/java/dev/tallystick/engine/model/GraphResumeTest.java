package dev.tallystick.engine.model;

import static dev.tallystick.engine.graph.run.GraphDesk.output;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.GraphBench;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.run.GraphDesk;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.JobId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transitions of graphs that come again, wherever the first time has ended. */
class GraphResumeTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final Graph LINE = Graph.named("line")
            .trigger("start")
            .worker("one", "1")
            .worker("two", "one")
            .from("start", "one")
            .from("one", "two")
            .output("two")
            .build();

    private static final Graph POLL = Graph.named("poll")
            .trigger("start")
            .worker("poll", "1")
            .cycle("again", "poll")
            .from("start", "poll")
            .when("poll", "poll = 'again'", "again")
            .build();

    private GraphBench bench;

    @BeforeEach
    void open() {
        bench = new GraphBench(postgres.dataSource());
    }

    @AfterEach
    void close() {
        bench.close();
    }

    /** After entry, after step 1, and after step 2, which leaves nothing to be done but the acknowledgement. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void rule_c_a_transition_that_stopped_after_any_step_is_taken_up_there_and_acknowledged(int commits) {
        JobId job = bench.accepted(LINE);
        GraphDesk desk = new GraphDesk(bench.workbench().database(), LINE);
        desk.trigger(job, "start");
        Lease one = desk.lease("me", "one");
        ActivityId two = new ActivityId(job, "", "two");
        new Ledgers(postgres.dataSource())
                .process(
                        leg(one, 0),
                        commits,
                        dimension -> List.of(new LegOne(two, "worker", 0, Duration.ZERO, LINE.queue())));

        desk.bring(one, output("again"));

        assertThat(bench.workbench().count("posting where name = 'one'")).isZero();
        assertThat(bench.workbench().count("posting where name = 'two'")).isEqualTo(1);
        assertThat(bench.workbench().guids(job)).contains(" one 000011000000002 #0");
        desk.bring(desk.lease("me", "two"), output("end"));
        assertThat(bench.violations()).containsExactly("entries 2 for 1 transitions of  one");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void rule_c_a_transition_that_stopped_while_closing_its_job_completes_it_once(int commits) {
        JobId job = bench.accepted(LINE);
        GraphDesk desk = new GraphDesk(bench.workbench().database(), LINE);
        desk.trigger(job, "start");
        desk.bring(desk.lease("me", "one"), output("1"));
        Lease two = desk.lease("me", "two");
        new Ledgers(postgres.dataSource()).process(leg(two, -1), commits);

        desk.bring(two, output("2"));

        assertThat(bench.workbench().guids(job)).contains(" two 000111100000002 #0");
        assertThat(bench.violations()).containsExactly("entries 2 for 1 transitions of  two");
    }

    private static LegTwo leg(Lease posting, int delta) {
        return LegTwo.answering(posting, delta, null, "\"first\"".getBytes(StandardCharsets.UTF_8), null);
    }

    @Test
    void rule_g_work_whose_ledger_is_full_is_acknowledged_when_its_job_is_ended_for_it() {
        JobId job = bench.accepted(POLL);
        GraphDesk desk = new GraphDesk(bench.workbench().database(), POLL);
        desk.trigger(job, "start");
        Lease poll = desk.lease("me", "poll");
        new Ledgers(postgres.dataSource()).setLedger(poll.activity(), "001111099999999");

        desk.bring(poll, output("again"));

        assertThat(bench.ledgers(job)).containsEntry("|poll", "001111099999999");
        assertThat(bench.workbench().violations()).isEmpty();
    }

    @Test
    void r13_the_last_entry_that_a_ledger_can_count_is_still_taken() {
        JobId job = bench.accepted(POLL);
        GraphDesk desk = new GraphDesk(bench.workbench().database(), POLL);
        desk.trigger(job, "start");
        Lease poll = desk.lease("me", "poll");
        new Ledgers(postgres.dataSource()).setLedger(poll.activity(), "001111099999998");

        desk.bring(poll, output("done"));

        assertThat(bench.ledgers(job)).containsEntry("|poll", "001111199999999");
        assertThat(bench.workbench().violations()).isEmpty();
    }

    @Test
    void r4_an_await_inside_a_cycle_runs_another_job_in_each_round() {
        bench.graph(Graph.named("parent")
                        .trigger("start")
                        .hook("round")
                        .await("child", "child", "1")
                        .worker("after", "child")
                        .cycle("again", "round")
                        .from("start", "round")
                        .from("round", "child")
                        .from("child", "after")
                        .when("after", "after < 3", "again")
                        .output("after")
                        .build())
                .graph(Graph.named("child")
                        .trigger("begin")
                        .hook("pass")
                        .from("begin", "pass")
                        .output("1")
                        .build());
        int[] rounds = {0};
        bench.worker("after", (work, input) -> ++rounds[0]);
        Engine engine = bench.start();

        JobId job = bench.submit(engine, "parent", Map.of());

        assertThat(bench.result(bench.workbench().await(engine, job))).isEqualTo(3);
        assertThat(bench.workbench().count("job where parent_job is not null")).isEqualTo(3);
        assertThat(bench.ledgers(job))
                .containsEntry("|round", "001111000000003")
                .containsKeys("round:0|child", "round:1|child", "round:2|child", "round:2|after");
        assertThat(bench.violations()).isEmpty();
    }
}
