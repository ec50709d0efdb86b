package dev.tallystick.engine.graph.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.GraphBench;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphLimit;
import dev.tallystick.sql.SessionLimits;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.JsonCodec;
import dev.tallystick.workflow.Limit;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.WorkflowType;
import java.io.IOError;
import java.io.IOException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** R25: expressions, codecs and keys of limits never run on a thread that others depend on, whatever they throw or take. */
class UserCodeTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private final Set<String> threads = ConcurrentHashMap.newKeySet();
    private final Signal reached = new Signal("the codec is stuck");
    private final Signal released = new Signal("the codec is released");
    private final AtomicInteger asked = new AtomicInteger();
    private GraphBench bench;

    @BeforeEach
    void open() {
        bench = new GraphBench(postgres.dataSource(), new OddCodec());
        bench.graph(single("modest", "input")).worker("modest", (work, input) -> "fine");
    }

    @AfterEach
    void close() {
        released.fire();
        bench.close();
    }

    private static Graph single(String name, String input) {
        return Graph.named(name)
                .trigger("start")
                .worker("work", "modest", input, Retry.NONE)
                .from("start", "work")
                .output("work")
                .build();
    }

    private void assertNeighboursAreFine(Engine engine) {
        assertThat(bench.result(bench.run(engine, "modest", Map.of()))).isEqualTo("fine");
    }

    @Test
    void it_runs_on_no_thread_that_others_depend_on() {
        Engine engine = bench.start();
        engine.register(WorkflowType.of("child", String.class, String.class, (context, input) -> input)
                .limit(Limit.<String>per(noted(input -> "key")).concurrency(1)));
        engine.register(Graph.named("all")
                .trigger("start")
                .hook("wait", "go")
                .await("child", "child", "'x'")
                .signal("tell", "wait.signal", "told", "'y'")
                .from("start", "wait")
                .from("wait", "child")
                .from("child", "tell")
                .output("$string(tell.delivered)")
                .limit(GraphLimit.per("input.key = 1 ? 'a' : 'b'").concurrency(2))
                .build());
        JobId other = bench.submit(engine, "all", Map.of());
        JobId job = bench.submit(engine, "all", Map.of());

        bench.signal(engine, job, "go", "k", other.toString());
        assertThat(bench.result(bench.workbench().await(engine, job))).isEqualTo("true");

        assertThat(threads)
                .isNotEmpty()
                .noneMatch(name ->
                        name.matches("tally-(commit.*|graph-dues|graph-claims|graph-limited|timers|claims|limited)"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"assertion", "linkage", "io"})
    void what_a_codec_throws_fails_its_job_alone(String word) {
        Engine engine = bench.start();

        Closed closed = bench.run(engine, "modest", word);

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("the codec cannot read a payload", "planted");
        assertNeighboursAreFine(engine);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void what_the_key_of_a_limit_throws_fails_the_job_that_orders_a_child() {
        Engine engine = bench.start();
        engine.register(WorkflowType.of("child", String.class, String.class, (context, input) -> input)
                .limit(Limit.<String>per(input -> {
                            throw new AssertionError("planted");
                        })
                        .concurrency(1)));
        engine.register(Graph.named("parent")
                .trigger("start")
                .await("child", "child", "'x'")
                .from("start", "child")
                .build());

        Closed closed = bench.run(engine, "parent", Map.of());

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("the limit of workflow 'child' has no key for this input", "planted");
        assertNeighboursAreFine(engine);
    }

    @Test
    void a_codec_that_is_stuck_holds_up_its_own_job_only() {
        Engine engine = bench.start();
        JobId stuck = bench.submit(engine, "modest", "stuck");
        reached.await();

        engine.register(single("another", "input"));
        assertThat(bench.result(bench.run(engine, "another", Map.of()))).isEqualTo("fine");

        released.fire();
        assertThat(bench.workbench().await(engine, stuck)).isNotNull();
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_plan_is_given_up_before_the_database_ends_its_transaction() {
        assertThat(TransitionWriter.BY_ITSELF).isLessThan(SessionLimits.OWN.idle());
        Engine engine = bench.start();

        Closed closed = bench.run(engine, "modest", "stuck");

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("took longer than " + TransitionWriter.BY_ITSELF.toMillis() + " ms");
        assertNeighboursAreFine(engine);
        assertThat(bench.violations()).isEmpty();
    }

    /**
     * A busy machine or a stopped process must not fail a good job: what hardly ran is planned again. What waits once may only
     * have been moved out of a shared transaction.
     */
    @Test
    void a_plan_that_hardly_ran_is_made_again() {
        Engine engine = bench.start();

        assertThat(bench.result(bench.run(engine, "modest", "waits twice"))).isEqualTo("fine");

        assertThat(asked).hasValueGreaterThan(2);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void an_expression_that_takes_too_long_fails_its_job_and_the_others_go_on_after_a_restart_too() {
        Graph endless = single("endless", "($f := function($n) { $f($n + 1) }; $f(0))");
        JobId before = bench.accepted(endless);
        Engine engine = bench.start();
        engine.register(endless);

        for (JobId job : List.of(before, bench.submit(engine, "endless", Map.of()))) {
            Closed closed = bench.workbench().await(engine, job);
            assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
            assertThat(closed.error()).contains("it takes longer than 500 ms");
        }
        assertNeighboursAreFine(engine);
        assertThat(bench.violations()).isEmpty();
    }

    private <I> Function<I, String> noted(Function<I, String> key) {
        return input -> {
            threads.add(Thread.currentThread().getName());
            return key.apply(input);
        };
    }

    /** JSON, except for some words. */
    private final class OddCodec implements Codec {

        private final JsonCodec json = new JsonCodec();

        @Override
        public byte[] encode(@Nullable Object value) {
            threads.add(Thread.currentThread().getName());
            return json.encode(value);
        }

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals")
        public <T extends @Nullable Object> T decode(byte[] bytes, Type type) {
            threads.add(Thread.currentThread().getName());
            switch (new String(bytes, StandardCharsets.UTF_8)) {
                case "\"assertion\"" -> throw new AssertionError("planted");
                case "\"linkage\"" -> throw new NoClassDefFoundError("planted");
                case "\"io\"" -> throw new IOError(new IOException("planted"));
                case "\"stuck\"" -> {
                    reached.fire();
                    while (!released.hasFired()) {
                        Thread.onSpinWait();
                    }
                }
                case "\"waits twice\"" -> {
                    if (asked.getAndIncrement() < 2) {
                        released.await();
                    }
                }
                default -> {}
            }
            return json.decode(bytes, type);
        }
    }
}
