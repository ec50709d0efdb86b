package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphYaml;
import dev.tallystick.engine.graph.run.GraphDesk;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.Retry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** R29: what a round brings belongs to its dimension, and what work gets belongs to its posting. */
class GraphRoundsTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final Retry QUICK = Retry.DEFAULT.waiting(Duration.ofMillis(1), Duration.ofMillis(5));

    private static final String PAYOUT = """
            workflow: payout
            nodes:
              t: {kind: trigger, next: h}
              h: {kind: hook, signal: claim, takes: 3, next: check}
              check: {kind: worker, input: h.signal.who, next: pay}
              pay: {kind: worker, input: "{'checked': check, 'pay_to': h.signal.who, 'amount': h.signal.amount}"}
            output: pay
            """;

    private final Map<String, Object> paid = new ConcurrentHashMap<>();
    private final Set<String> seen = new ConcurrentSkipListSet<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final Signal allSent = new Signal("all signals are sent");
    private GraphBench bench;

    @BeforeEach
    void open() {
        bench = new GraphBench(postgres.dataSource());
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private static Map<String, Object> claim(String who, int amount) {
        return Map.of("who", who, "amount", amount);
    }

    private JobId claims(Engine engine, String workflow) {
        JobId job = bench.submit(engine, workflow, "input");
        bench.signal(engine, job, "claim", "a", claim("ann", 10));
        bench.signal(engine, job, "claim", "b", claim("bob", 20));
        bench.signal(engine, job, "claim", "c", claim("cyd", 30));
        allSent.fire();
        return job;
    }

    private void payout() {
        bench.graph(GraphYaml.read("payout.yaml", PAYOUT))
                .worker("check", (work, input) -> {
                    allSent.await();
                    return input;
                })
                .worker("pay", (work, input) -> {
                    paid.put(work.dimension(), input);
                    return input;
                });
    }

    private static Map<String, Object> payment(String who, int amount) {
        return Map.of("checked", who, "pay_to", who, "amount", amount);
    }

    @Test
    void r29_what_follows_a_signal_sees_that_signal_however_many_come_at_once() {
        payout();
        Engine engine = bench.start();

        bench.workbench().await(engine, claims(engine, "payout"));

        assertThat(paid)
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("h:0", payment("ann", 10), "h:1", payment("bob", 20), "h:2", payment("cyd", 30)));
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void r29_a_fork_in_a_round_is_told_of_that_round() {
        payout();
        Engine engine = bench.start();
        JobId job = claims(engine, "payout");
        bench.workbench().await(engine, job);
        paid.clear();

        JobId fork = engine.reruns().fork("default", job, "check@h:1");

        bench.workbench().await(engine, fork);
        assertThat(paid).isEqualTo(Map.of("h:1", payment("bob", 20)));
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void r29_conditions_are_about_their_own_round() {
        bench.graph(Graph.named("sorted")
                        .trigger("t")
                        .hook("h", "claim", null, 3)
                        .worker("check", "h.signal.who")
                        .worker("small", "h.signal.who")
                        .worker("large", "h.signal.who")
                        .from("t", "h")
                        .from("h", "check")
                        .when("check", "h.signal.amount < 15", "small")
                        .when("check", "h.signal.amount >= 15", "large")
                        .build())
                .worker("check", (work, input) -> {
                    allSent.await();
                    return input;
                })
                .worker("small", (work, input) -> seen.add("small " + input))
                .worker("large", (work, input) -> seen.add("large " + input));
        Engine engine = bench.start();

        bench.workbench().await(engine, claims(engine, "sorted"));

        assertThat(seen).containsExactly("large bob", "large cyd", "small ann");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void r29_a_round_that_the_next_one_has_overtaken_still_knows_its_number() {
        Signal last = new Signal("the last round is there");
        bench.graph(Graph.named("overtaken")
                        .trigger("t")
                        .hook("look")
                        .worker("step", "look.round")
                        .worker("wait", "1")
                        .worker("beside", "look.round")
                        .cycle("again", "look")
                        .from("t", "look")
                        .from("look", "step")
                        .when("step", "look.round < 2", "again")
                        .from("step", "wait")
                        .from("wait", "beside")
                        .build())
                .worker("step", (work, input) -> {
                    if (input.equals(2)) {
                        last.fire();
                    }
                    return input;
                })
                .worker("wait", (work, input) -> {
                    last.await();
                    return input;
                })
                .worker("beside", (work, input) -> seen.add(work.dimension() + " " + input));
        Engine engine = bench.start();

        bench.run(engine, "overtaken", "input");

        assertThat(seen).containsExactly("look:0 0", "look:1 1", "look:2 2");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void r29_work_that_a_cycle_goes_back_to_gets_the_same_at_every_attempt() {
        Map<String, Set<Object>> inputs = new ConcurrentHashMap<>();
        bench.graph(Graph.named("returning")
                        .trigger("t")
                        .worker("w", "w", "$exists(h) ? h.signal.who : 'first'", QUICK)
                        .hook("h", "claim", null, 3)
                        .cycle("again", "w")
                        .from("t", "w")
                        .when("w", "w = 'first'", "h")
                        .from("h", "again")
                        .build())
                .worker("w", (work, input) -> {
                    inputs.computeIfAbsent(work.key(), key -> ConcurrentHashMap.newKeySet())
                            .add(input);
                    if (!input.equals("first")) {
                        allSent.await();
                        if (work.attempt() == 1) {
                            throw new IllegalStateException("once more");
                        }
                    }
                    return input;
                });
        Engine engine = bench.start();

        bench.workbench().await(engine, claims(engine, "returning"));

        assertThat(inputs.values())
                .containsExactlyInAnyOrder(Set.of("first"), Set.of("ann"), Set.of("bob"), Set.of("cyd"));
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void r29_a_fork_keeps_every_round_of_a_worker_that_a_cycle_goes_back_to() {
        bench.graph(Graph.named("polling")
                        .trigger("t")
                        .worker("poll", "$exists(poll) ? poll + 1 : 0")
                        .cycle("again", "poll")
                        .worker("beside", "poll")
                        .from("t", "poll")
                        .when("poll", "poll < 2", "again")
                        .from("poll", "beside")
                        .output("beside")
                        .build())
                .worker("poll", (work, input) -> {
                    calls.incrementAndGet();
                    return input;
                })
                .worker("beside", (work, input) -> {
                    seen.add(work.dimension() + " " + input);
                    return input;
                });
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "polling", "input");
        assertThat(bench.result(bench.workbench().await(engine, job))).isEqualTo(2);
        assertThat(seen).containsExactly("poll:0 0", "poll:1 1", "poll:2 2");
        seen.clear();

        JobId fork = engine.reruns().fork("default", job, "beside@poll:1");

        assertThat(bench.result(bench.workbench().await(engine, fork))).isEqualTo(2);
        assertThat(seen).containsExactly("poll:1 1");
        assertThat(calls).hasValue(3);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void r29_a_redrive_goes_on_with_the_rounds_that_went_well() {
        bench.graph(GraphYaml.read(
                        "payout.yaml",
                        PAYOUT.replace(
                                "{kind: worker, input: \"{'c", "{kind: worker, retry: {attempts: 1}, input: \"{'c")))
                .worker("check", (work, input) -> {
                    allSent.await();
                    return input;
                })
                .worker("pay", (work, input) -> {
                    if (work.dimension().equals("h:1") && calls.incrementAndGet() == 1) {
                        throw new IllegalStateException("no money");
                    }
                    paid.put(work.dimension(), input);
                    return input;
                });
        Engine engine = bench.start();
        JobId job = claims(engine, "payout");
        assertThat(bench.workbench().await(engine, job).error()).contains("no money");

        bench.workbench().await(engine, engine.reruns().redrive("default", job));

        assertThat(paid)
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("h:0", payment("ann", 10), "h:1", payment("bob", 20), "h:2", payment("cyd", 30)));
    }

    @Test
    void r8_a_join_outside_waits_until_a_loop_is_left_that_also_goes_on() {
        Signal left = new Signal("the loop is left");
        bench.graph(Graph.named("one_decider")
                        .trigger("t")
                        .hook("look")
                        .worker("step", "look.round")
                        .cycle("again", "look")
                        .worker("extra", "look.round")
                        .worker("beside", "'beside'")
                        .worker("joined", "{'round': step, 'extra': extra, 'left': beside}")
                        .join("joined")
                        .from("t", "look", "beside")
                        .from("look", "step")
                        .when("step", "step < 2", "again")
                        .from("step", "extra")
                        .when("extra", "extra = 2", "joined")
                        .from("beside", "joined")
                        .output("joined")
                        .build())
                .worker("step", (work, input) -> {
                    if (input.equals(1)) {
                        left.await();
                    }
                    return input;
                })
                .worker("extra", (work, input) -> {
                    left.fire();
                    return input;
                })
                .worker("beside", (work, input) -> input)
                .worker("joined", (work, input) -> Map.of("calls", calls.incrementAndGet(), "got", input));
        Engine engine = bench.start();

        Object result = bench.result(bench.run(engine, "one_decider", "input"));

        assertThat(result).isEqualTo(Map.of("calls", 1, "got", Map.of("round", 2, "extra", 2, "left", "beside")));
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void r8_a_join_outside_is_not_lost_to_a_round_that_another_node_continues() {
        bench.graph(Graph.named("two_deciders")
                        .trigger("t")
                        .hook("look")
                        .worker("one", "look.round")
                        .cycle("again", "look")
                        .worker("two", "look.round")
                        .cycle("once_more", "look")
                        .worker("beside", "'beside'")
                        .worker("joined", "{'two': two, 'left': beside}")
                        .join("joined")
                        .from("t", "look")
                        .when("t", "input.beside", "beside")
                        .from("look", "one")
                        .when("one", "one = 0", "again")
                        .from("one", "two")
                        .when("two", "two = 1", "once_more")
                        .when("two", "two = 2", "joined")
                        .from("beside", "joined")
                        .output("joined")
                        .build())
                .worker("one", (work, input) -> input)
                .worker("two", (work, input) -> input)
                .worker("beside", (work, input) -> input)
                .worker("joined", (work, input) -> Map.of("calls", calls.incrementAndGet(), "got", input));
        Engine engine = bench.start();

        assertThat(bench.result(bench.run(engine, "two_deciders", Map.of("beside", false))))
                .isEqualTo(Map.of("calls", 1, "got", Map.of("two", 2)));
        assertThat(bench.result(bench.run(engine, "two_deciders", Map.of("beside", true))))
                .isEqualTo(Map.of("calls", 2, "got", Map.of("two", 2, "left", "beside")));
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void r8_joins_outside_of_loops_that_lie_inside_each_other_are_each_entered_once() {
        bench.graph(Graph.named("inside")
                        .trigger("t")
                        .hook("outer")
                        .hook("inner")
                        .worker("step", "inner.round")
                        .cycle("in_again", "inner")
                        .worker("beside", "outer.round")
                        .worker("joined", "{'step': step, 'outer': outer.round}")
                        .cycle("out_again", "outer")
                        .worker("alone", "1")
                        .worker("last", "joined")
                        .join("joined")
                        .join("last")
                        .from("t", "outer")
                        .when("t", "input.alone", "alone")
                        .from("outer", "inner", "beside")
                        .from("inner", "step")
                        .when("step", "inner.round < 1", "in_again")
                        .when("step", "inner.round >= 1", "joined")
                        .from("beside", "joined")
                        .when("joined", "outer.round < 1", "out_again")
                        .when("joined", "outer.round >= 1", "last")
                        .from("alone", "last")
                        .output("last")
                        .build())
                .worker("step", (work, input) -> input)
                .worker("beside", (work, input) -> input)
                .worker("alone", (work, input) -> input)
                .worker("joined", (work, input) -> {
                    seen.add(work.dimension() + " " + input);
                    return input;
                })
                .worker("last", (work, input) -> {
                    calls.incrementAndGet();
                    return input;
                });
        Engine engine = bench.start();

        for (boolean alone : List.of(true, false)) {
            assertThat(bench.result(bench.run(engine, "inside", Map.of("alone", alone))))
                    .isEqualTo(Map.of("step", 1, "outer", 1));
        }

        assertThat(seen).containsExactly("outer:0 {step=1, outer=0}", "outer:1 {step=1, outer=1}");
        assertThat(calls).hasValue(2);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void r8_a_join_brings_together_what_follows_several_signals() {
        bench.graph(Graph.named("votes")
                        .trigger("t")
                        .hook("h", "claim", null, 3)
                        .worker("count", "h.signal.amount")
                        .worker("beside", "'beside'")
                        .worker("joined", "beside & ' ' & count")
                        .join("joined")
                        .from("t", "h", "beside")
                        .from("h", "count")
                        .when("count", "count > 15", "joined")
                        .from("beside", "joined")
                        .output("joined")
                        .build())
                .worker("count", (work, input) -> {
                    calls.incrementAndGet();
                    return input;
                })
                .worker("beside", (work, input) -> input)
                .worker("joined", (work, input) -> calls.get() + " " + input);
        Engine engine = bench.start();

        assertThat(bench.result(bench.workbench().await(engine, claims(engine, "votes"))))
                .isEqualTo("3 beside 30");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_loop_in_which_nothing_waits_comes_to_an_end() {
        Graph spin = Graph.named("spin")
                .trigger("t")
                .hook("h")
                .cycle("c", "h")
                .from("t", "h")
                .from("h", "c")
                .build();
        JobId job = bench.accepted(spin);
        new GraphDesk(bench.workbench().database(), spin).trigger(job, "t");
        bench.workbench()
                .database()
                .transact(
                        "go round",
                        tx -> tx.update("update tally.activity set ledger = ledger + 9900 where name = 'h'"));
        bench.graph(spin);

        Closed closed = bench.workbench().await(bench.start(), job);

        assertThat(closed.error())
                .isEqualTo("node 'h' was cycled back to 10000 times without a wait:"
                        + " put a timer, a signal or work on the way to its cycle");
    }
}
