package dev.tallystick.engine.simulation;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphBuilder;
import dev.tallystick.testkit.Signal;
import dev.tallystick.workflow.Ask;
import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.StepFailedException;
import dev.tallystick.workflow.Workflow;
import dev.tallystick.workflow.WorkflowType;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the jobs of a simulation do, in code and in graphs. Every run of a step returns a token of its own, and a job's result is
 * the sum of its tokens in the order of their places: so a job that continued with a result other than the recorded one shows.
 */
final class SimulatedWorkflows {

    static final List<String> NAMES = List.of(
            "steps",
            "fork",
            "either",
            "contested",
            "losers",
            "sleepy",
            "signalled",
            "parent",
            "paying",
            "mixed",
            "g_line",
            "g_fork",
            "g_cycle",
            "g_hook",
            "g_votes",
            "g_timer",
            "g_parent",
            "g_retry");

    /** Those that do not end before they have got a signal. */
    static final List<String> SIGNALLED = List.of("signalled", "contested", "losers", "g_hook");

    /** However often it is begun in vain, that is no reason to give it up here. */
    private static final Retry STUBBORN =
            Retry.DEFAULT.attempts(10_000).waiting(Duration.ofMillis(1), Duration.ofMillis(5));

    /** Now and then a step takes longer than its lease lasts. */
    private static final int SLOW = 151;

    private final Duration longerThanALease;
    private final AtomicLong tokens = new AtomicLong();

    SimulatedWorkflows(Duration longerThanALease) {
        this.longerThanALease = longerThanALease;
    }

    void register(Engine engine) {
        registerSteps(engine);
        registerRaces(engine);
        registerOthers(engine);
        engine.worker("token", Object.class, (work, input) -> token(work.node()));
        engine.worker("number", Object.class, (work, input) -> tokens.incrementAndGet());
        engine.worker("flaky", Object.class, (work, input) -> {
            if (work.attempt() == 1) {
                throw new IllegalStateException("not yet");
            }
            return token(work.node());
        });
        registerGraphs(engine);
        registerWaitingGraphs(engine);
    }

    private void registerSteps(Engine engine) {
        code(engine, "steps", (ctx, input) -> step(ctx, "one") + step(ctx, "two") + step(ctx, "three"));
        code(engine, "fork", (ctx, input) -> {
            List<String> both = ctx.all(String.class, List.of(a -> step(a, "left"), b -> step(b, "right")));
            ctx.sleep(Duration.ofMillis(100));
            return String.join("", both) + step(ctx, "after");
        });
        code(engine, "either", (ctx, input) -> {
            String first = ctx.any(String.class, List.of(a -> a.await("go", String.class), b -> {
                b.sleep(Duration.ofMillis(300));
                return "slept";
            }));
            ctx.step("noted", String.class, STUBBORN, () -> first);
            return step(ctx, "after");
        });
        code(engine, "sleepy", (ctx, input) -> {
            String before = step(ctx, "before");
            ctx.sleep(Duration.ofMillis(50));
            return before + step(ctx, "after");
        });
    }

    /** They continue after a race, and none of the losers may get in their way. */
    private void registerRaces(Engine engine) {
        code(engine, "contested", (ctx, input) -> {
            String first = ctx.any(
                    String.class,
                    List.of(
                            a -> a.await("go", String.class),
                            b -> String.join("", b.all(String.class, List.of(c -> c.await("go", String.class), c -> {
                                c.sleep(Duration.ofHours(1));
                                return "";
                            }))),
                            b -> {
                                b.sleep(Duration.ofMillis(30));
                                return "slept";
                            }));
            ctx.step("noted", String.class, STUBBORN, () -> first);
            if (first.equals("slept")) {
                ctx.await("go", String.class);
            }
            return step(ctx, "after");
        });
        code(engine, "abandoned", (ctx, input) -> ctx.await("never", String.class));
        code(engine, "losers", (ctx, input) -> {
            try {
                ctx.all(
                        String.class,
                        List.of(
                                a -> a.task("ask", String.class, Ask.group("desk")),
                                b -> b.child("abandoned", "", String.class),
                                c -> c.any(
                                        String.class,
                                        List.of(
                                                d -> d.await("never", String.class),
                                                d -> d.await("never", String.class, Duration.ofHours(1))
                                                        .orElse(""))),
                                d -> {
                                    d.sleep(Duration.ofMillis(20));
                                    throw new IllegalStateException("no more");
                                }));
            } catch (StepFailedException expected) {
                ctx.step("noted", String.class, STUBBORN, () -> "");
            }
            ctx.await("go", String.class);
            return step(ctx, "after");
        });
    }

    private void registerOthers(Engine engine) {
        code(engine, "signalled", (ctx, input) -> {
            ctx.await("go", String.class);
            return step(ctx, "after");
        });
        code(engine, "child", (ctx, input) -> step(ctx, "work"));
        code(engine, "parent", (ctx, input) -> {
            ctx.child("child", "", String.class);
            return step(ctx, "after");
        });
        code(engine, "mixed", (ctx, input) -> {
            ctx.child("g_line", "", String.class);
            return step(ctx, "after");
        });
        code(engine, "paying", (ctx, input) -> {
            String before = step(ctx, "before");
            ctx.transaction("pay", String.class, connection -> {
                try (PreparedStatement insert = connection.prepareStatement("insert into effect values (?)")) {
                    insert.setObject(1, ctx.job().value());
                    insert.executeUpdate();
                }
                return "";
            });
            return before + step(ctx, "after");
        });
    }

    private static void registerGraphs(Engine engine) {
        engine.register(graph("g_line", "a", "b", "c")
                .from("start", "a")
                .from("a", "b")
                .from("b", "c")
                .output("a & b & c")
                .build());
        engine.register(graph("g_fork", "a", "b", "joined", "never")
                .join("joined")
                .from("start", "a", "b")
                .when("start", "false", "never")
                .from("a", "joined")
                .from("b", "joined")
                .from("never", "joined")
                .output("a & b & joined")
                .build());
        engine.register(graph("g_cycle", "done")
                .hook("round")
                .worker("count", "number", "1", STUBBORN)
                .worker("beside", "number", "1", STUBBORN)
                .cycle("again", "round")
                .from("start", "round")
                .from("round", "count", "beside")
                .when("count", "round.round < 2", "again")
                .when("count", "round.round >= 2", "done")
                .output("done")
                .build());
        engine.register(graph("g_retry")
                .worker("a", "flaky", "1", STUBBORN)
                .from("start", "a")
                .output("a")
                .build());
    }

    private static void registerWaitingGraphs(Engine engine) {
        engine.register(graph("g_hook", "after")
                .hook("wait", "go")
                .from("start", "wait")
                .from("wait", "after")
                .output("after")
                .build());
        engine.register(graph("g_votes")
                .hook("votes", "go", Duration.ofMillis(300), 2)
                .worker("count", "number", "1", STUBBORN)
                .from("start", "votes")
                .from("votes", "count")
                .output("'counted'")
                .build());
        engine.register(graph("g_timer", "a", "b")
                .timer("pause", Duration.ofMillis(50))
                .from("start", "a")
                .from("a", "pause")
                .from("pause", "b")
                .output("a & b")
                .build());
        engine.register(graph("g_parent", "after")
                .await("child", "child", "''")
                .from("start", "child")
                .from("child", "after")
                .output("after")
                .build());
    }

    private static GraphBuilder graph(String name, String... tokens) {
        GraphBuilder graph = Graph.named(name).trigger("start");
        for (String node : tokens) {
            graph.worker(node, "token", "1", STUBBORN);
        }
        return graph;
    }

    private static void code(Engine engine, String name, Workflow<String, String> body) {
        engine.register(WorkflowType.of(name, String.class, String.class, body));
    }

    private String step(Context ctx, String name) {
        return ctx.step(name, String.class, STUBBORN, () -> token(name));
    }

    private String token(String name) {
        long number = tokens.incrementAndGet();
        if (number % SLOW == 0) {
            try {
                new Signal("never").await(longerThanALease);
            } catch (AssertionError expected) {
                return "[" + name + number + "]";
            }
        }
        return "[" + name + number + "]";
    }
}
