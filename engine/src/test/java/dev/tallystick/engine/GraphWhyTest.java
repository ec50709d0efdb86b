package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphBuilder;
import dev.tallystick.engine.view.Why;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.Retry;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What jobs of graphs say that they wait for, and what would move them. */
class GraphWhyTest {

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

    /** Waits until the activity says so, and nothing else of it. */
    private static void awaitMover(Engine engine, JobId job, String activity, String mover) {
        Eventually.value(
                activity + " says: " + mover,
                () -> engine.why("default", job).waits().stream()
                        .filter(wait -> wait.what().matches(activity + "( at \\S+)?"))
                        .map(Why.Wait::mover)
                        .findFirst()
                        .orElse("nothing"),
                said -> said.matches(mover));
    }

    private static Graph single(Retry retry) {
        return Graph.named("single")
                .trigger("start")
                .worker("work", "absent", "1", retry)
                .from("start", "work")
                .build();
    }

    @Test
    void work_that_nobody_has_taken_names_the_process_that_would() {
        Engine engine = bench.graph(single(Retry.NONE)).start();
        JobId job = bench.submit(engine, "single", Map.of());

        awaitMover(
                engine,
                job,
                "work",
                "a process in which single version 1 is registered with all its workers: not claimed since .*Z");
    }

    @Test
    void a_job_that_waits_at_many_places_names_the_oldest_hundred() {
        GraphBuilder graph = Graph.named("patient").trigger("start");
        for (int i = 0; i < 120; i++) {
            graph.hook("hook" + i, "go").from("start", "hook" + i);
        }
        Engine engine = bench.graph(graph.build()).start();
        JobId job = bench.submit(engine, "patient", Map.of());

        Why why = Eventually.value("all of them wait", () -> engine.why("default", job), Why::hasMore);

        assertThat(why.waits()).hasSize(100);
        assertThat(why.text()).endsWith("and more");
    }

    @Test
    void work_of_a_topic_that_nobody_serves_names_the_topic() {
        bench.graph(Graph.named("single")
                .trigger("start")
                .topic("work", "parcels", "1", Retry.NONE)
                .from("start", "work")
                .build());
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "single", Map.of());

        awaitMover(engine, job, "work", "a worker of topic 'parcels': not claimed since .*Z");
    }

    @Test
    void a_join_says_how_many_branches_have_come_and_the_others_what_they_wait_for() {
        bench.graph(Graph.named("joining")
                        .trigger("start")
                        .worker("quick", "1")
                        .hook("slow", "go")
                        .worker("join", "1")
                        .join("join")
                        .from("start", "quick")
                        .from("start", "slow")
                        .from("quick", "join")
                        .from("slow", "join")
                        .build())
                .worker("quick", (work, input) -> 1)
                .worker("join", (work, input) -> 1);
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "joining", Map.of());

        awaitMover(engine, job, "join", "the branches that lead to it .* so far 1 came or were skipped");
        awaitMover(engine, job, "slow", "a signal 'go'");
    }

    @Test
    void work_names_who_does_it_and_when_they_are_gone_that_they_are() {
        Signal released = new Signal("the test is over");
        bench.graph(single(Retry.NONE)).worker("absent", (work, input) -> {
            released.await();
            return 1;
        });
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "single", Map.of());
        awaitMover(engine, job, "work", "the end of attempt 1 in .*, whose lease ends at .*Z unless it is extended");

        bench.workbench().kill(engine);
        try (Engine looking = bench.workbench().idle()) {
            bench.workbench()
                    .database()
                    .transact("the lease ends", tx -> tx.update("update tally.posting set visible_at = now()"));
            awaitMover(
                    looking,
                    job,
                    "work",
                    "a process in which single version 1 is registered with all its workers, for .*"
                            + " has not been heard of since its lease ended at .*Z, in attempt 1");
        } finally {
            released.fire();
        }
    }

    @Test
    void work_that_is_tried_again_says_when_and_what_went_wrong() {
        bench.graph(single(Retry.DEFAULT.waiting(Duration.ofHours(1), Duration.ofHours(1))))
                .worker("absent", (work, input) -> {
                    throw new IllegalStateException("no money");
                });
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "single", Map.of());

        awaitMover(engine, job, "work", "attempt 2, at .*Z; the last one failed: .*no money");
    }

    @Test
    void a_graph_that_nobody_has_and_one_that_kills_its_processes_do_not_read_alike() {
        JobId job = bench.accepted(single(Retry.NONE));
        try (Engine looking = bench.workbench().idle()) {
            awaitMover(looking, job, "start", "a process in which single version 1 is registered, since .*Z");

            bench.workbench()
                    .database()
                    .transact("three died of it", tx -> tx.update("update tally.posting set attempts = 3"));
            awaitMover(looking, job, "start", ".* of those who began it without coming back 3 are counted");
        }
    }

    @Test
    void a_child_is_named_and_a_body_whose_process_died_says_so() {
        bench.graph(Graph.named("parent")
                .trigger("start")
                .await("child", "body", "'input'")
                .from("start", "child")
                .build());
        Signal released = new Signal("the test is over");
        bench.workbench().workflow("body", (ctx, input) -> {
            released.await();
            return "";
        });
        Engine engine = bench.start();
        JobId parent = bench.submit(engine, "parent", Map.of());
        awaitMover(engine, parent, "child", "the end of its child job [0-9a-f-]{36}");
        String said = engine.why("default", parent).waits().getFirst().mover();
        JobId child = JobId.parse(said.substring(said.lastIndexOf(' ') + 1));
        Eventually.holds("it runs", () -> engine.why("default", child).state().startsWith("running in process"));

        bench.workbench().kill(engine);
        try (Engine looking = bench.workbench().idle()) {
            bench.workbench()
                    .database()
                    .transact("the lease ends", tx -> tx.update("update tally.posting set visible_at = now()"));
            assertThat(looking.why("default", child).state())
                    .matches("process .* has not been heard of since its lease ended at .*Z;"
                            + " it continues in a process in which body version 1 is registered");
        } finally {
            released.fire();
        }
    }
}
