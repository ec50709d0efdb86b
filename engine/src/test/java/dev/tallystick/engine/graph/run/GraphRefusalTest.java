package dev.tallystick.engine.graph.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.GraphBench;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.NodeAsk;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.JsonCodec;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.Signalled;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Transitions of graphs that cannot be written, read or survived: each ends its job with a reason, and the others continue. */
class GraphRefusalTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final String UNREADABLE = "unreadable";
    private static final String DEADLY = "deadly";

    /** A person whom Postgres has no row for: a text holds no NUL. */
    private static final NodeAsk NO_ONE = NodeAsk.person("'no' & input.nul & 'body'");

    private static final Map<String, String> NUL = Map.of("nul", "\0");

    private GraphBench bench;

    @BeforeEach
    void open() {
        bench = new GraphBench(postgres.dataSource(), new TreacherousCodec());
        bench.graph(Graph.named("modest")
                .trigger("start")
                .worker("work", "modest", "input", Retry.NONE)
                .from("start", "work")
                .output("work")
                .build());
        bench.worker("modest", (work, input) -> "fine");
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private void assertFailed(Closed closed, String... reason) {
        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains(reason);
    }

    private void assertNeighboursAreFine(Engine engine) {
        assertThat(bench.result(bench.run(engine, "modest", Map.of()))).isEqualTo("fine");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_transition_that_the_database_refuses_fails_its_job() {
        bench.graph(Graph.named("asking")
                .trigger("start")
                .task("ask", NO_ONE)
                .from("start", "ask")
                .build());
        Engine engine = bench.start();

        assertFailed(bench.run(engine, "asking", NUL), "node 'start': it cannot be recorded", "0x00");

        assertNeighboursAreFine(engine);
    }

    @Test
    void work_whose_follower_the_database_refuses_is_done_once_and_its_output_is_kept() {
        AtomicInteger effects = new AtomicInteger();
        bench.graph(Graph.named("asking")
                        .trigger("start")
                        .worker("work", "work", "input", Retry.DEFAULT)
                        .task("ask", NO_ONE)
                        .from("start", "work")
                        .from("work", "ask")
                        .build())
                .worker("work", (work, input) -> "effect " + effects.incrementAndGet());
        Engine engine = bench.start();

        Closed closed = bench.run(engine, "asking", NUL);

        assertFailed(closed, "node 'work': it cannot be recorded");
        assertThat(effects).hasValue(1);
        assertThat(bench.workbench().count("activity where name = 'work' and output = '\"effect 1\"'"))
                .isEqualTo(1);
        assertNeighboursAreFine(engine);
    }

    @Test
    void a_signal_after_which_the_database_refuses_is_kept_and_fails_the_job_that_it_was_for() {
        bench.graph(Graph.named("asking")
                .trigger("start")
                .hook("wait", "go")
                .task("ask", NO_ONE)
                .from("start", "wait")
                .from("wait", "ask")
                .build());
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "asking", NUL);
        Eventually.holds("it waits", () -> bench.workbench().count("posting where awaits = 'go'") == 1);

        assertThat(bench.signal(engine, job, "go", "key", "payload")).isEqualTo(new Signalled.Kept(false));

        assertFailed(bench.workbench().await(engine, job), "node 'wait': it cannot be recorded");
        assertNeighboursAreFine(engine);
    }

    @Test
    void an_interrupt_says_its_reason_in_what_can_be_written_of_it() {
        bench.graph(Graph.named("stopping")
                .trigger("start")
                .interrupt("stop", JobOutcome.FAILED, "'no' & input.nul & 'way'")
                .from("start", "stop")
                .build());
        Engine engine = bench.start();

        assertFailed(bench.run(engine, "stopping", NUL), "no way");
    }

    @Test
    void what_a_remote_worker_brings_and_the_codec_cannot_read_fails_the_job() {
        bench.graph(remote());
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "remote", Map.of());
        RemoteWork.Handle handle = claim(engine);

        assertThat(engine.remoteWork()
                        .succeed("default", "remotely", "worker", handle, "no json".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(RemoteWork.Brought.RECORDED);

        assertFailed(bench.workbench().await(engine, job), "after node 'work': the codec cannot read a payload");
        assertNeighboursAreFine(engine);
    }

    @Test
    void what_a_remote_worker_says_of_its_failure_is_kept_as_far_as_it_can_be_written() {
        bench.graph(remote());
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "remote", Map.of());

        assertThat(engine.remoteWork().fail("default", "remotely", "worker", claim(engine), "no\0money", null, true))
                .isEqualTo(RemoteWork.Brought.RECORDED);

        assertFailed(bench.workbench().await(engine, job), "node 'work' failed: no money");
    }

    private static Graph remote() {
        return Graph.named("remote")
                .trigger("start")
                .topic("work", "remotely", "1", Retry.NONE)
                .worker("after", "modest", "work", Retry.NONE)
                .from("start", "work")
                .from("work", "after")
                .build();
    }

    private static RemoteWork.Handle claim(Engine engine) {
        return Eventually.value(
                        "there is work",
                        () -> engine.remoteWork().claim("default", "remotely", "worker", 1),
                        claimed -> !claimed.isEmpty())
                .getFirst()
                .handle();
    }

    @Test
    void a_codec_that_overflows_the_stack_fails_the_job_that_it_does_so_for() {
        Engine engine = bench.start();

        assertFailed(
                bench.run(engine, "modest", UNREADABLE), "after node 'start': the codec cannot read", "StackOverflow");

        assertNeighboursAreFine(engine);
    }

    @Test
    void a_transition_that_kills_every_process_ends_its_job_and_those_who_were_there_with_it_are_done() {
        Graph graph = Graph.named("late")
                .trigger("start")
                .worker("work", "modest", "input", Retry.NONE)
                .from("start", "work")
                .output("work")
                .build();
        JobId killer = bench.accepted(graph, DEADLY);
        List<JobId> neighbours = List.of(bench.accepted(graph), bench.accepted(graph), bench.accepted(graph));

        for (int died = 0; died < DueNodes.MAX_BEGUN; died++) {
            letBeOverdue();
            assertThatThrownBy(() -> dyingOf(graph, killer).doAll()).isInstanceOf(Killed.class);
        }
        letBeOverdue();
        Engine engine = bench.graph(graph).start();

        assertFailed(bench.workbench().await(engine, killer), "node 'start'", "begun 5 times and never came back");
        for (JobId neighbour : neighbours) {
            assertThat(bench.result(bench.workbench().await(engine, neighbour))).isEqualTo("fine");
        }
        assertNeighboursAreFine(engine);
    }

    private void letBeOverdue() {
        bench.workbench()
                .database()
                .transact(
                        "let be overdue",
                        tx -> tx.update("update tally.posting set visible_at = now() - interval '1 hour'"));
    }

    /** What is done in a process that does not survive what is due for one job, and does not get round to the others. */
    private DueNodes dyingOf(Graph graph, JobId killer) {
        Database database = bench.workbench().database();
        GraphRegistry registry = new GraphRegistry(new RemoteWorkflows(database, Workbench.SETTINGS.poll()));
        registry.register(graph);
        return new DueNodes(
                database,
                new NodeStore(),
                registry,
                new JsonCodec(),
                signal -> CompletableFuture.failedFuture(new IllegalStateException("nothing is sent here")),
                (posting, told) -> {
                    if (posting.job().equals(killer)) {
                        throw new Killed();
                    }
                    return CompletableFuture.completedFuture(DueNodes.Handed.UNKNOWN);
                },
                Workbench.SETTINGS);
    }

    /** What a process dies of. */
    private static final class Killed extends Error {

        private static final long serialVersionUID = 1L;

        Killed() {
            super("planted", null, false, false);
        }
    }

    /** JSON, except for two words. */
    private static final class TreacherousCodec implements Codec {

        private final JsonCodec json = new JsonCodec();

        @Override
        public byte[] encode(@Nullable Object value) {
            return json.encode(value);
        }

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals")
        public <T extends @Nullable Object> T decode(byte[] bytes, Type type) {
            String text = new String(bytes, StandardCharsets.UTF_8);
            if (text.contains(UNREADABLE)) {
                throw new StackOverflowError("planted");
            }
            if (text.contains(DEADLY)) {
                throw new Killed();
            }
            return json.decode(bytes, type);
        }
    }
}
