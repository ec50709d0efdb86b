package dev.tallystick.engine.crash;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.TaskDesk;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.NodeAsk;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Person;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.WorkflowType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A graph for each kind of node and each way of going on. Workers are called after the workflow, for one engine may run many. */
public enum GraphCrashScenario implements Scenario {
    GRAPH_LINE("12", " one", " start", " two") {
        @Override
        void draw(Engine engine, String workflow) {
            engine.worker(workflow + ".one", Object.class, (work, input) -> "1");
            engine.worker(workflow + ".two", Object.class, (work, input) -> input + "2");
            engine.register(Graph.named(workflow)
                    .trigger("start")
                    .worker("one", workflow + ".one", "input", Retry.DEFAULT)
                    .worker("two", workflow + ".two", "one", Retry.DEFAULT)
                    .from("start", "one")
                    .from("one", "two")
                    .output("two")
                    .build());
        }
    },
    GRAPH_RETRY("at last", " flaky", " start") {
        @Override
        void draw(Engine engine, String workflow) {
            engine.worker(workflow, Object.class, (work, input) -> {
                if (FAILED_ONCE.add(work.job())) {
                    throw new IllegalStateException("not yet");
                }
                return "at last";
            });
            engine.register(Graph.named(workflow)
                    .trigger("start")
                    .worker("flaky", workflow, "input", QUICK)
                    .from("start", "flaky")
                    .output("flaky")
                    .build());
        }
    },
    GRAPH_FORK("left right", " joined", " left", " right", " start") {
        @Override
        void draw(Engine engine, String workflow) {
            engine.worker(workflow, Object.class, (work, input) -> work.node());
            engine.register(Graph.named(workflow)
                    .trigger("start")
                    .worker("left", workflow, "input", Retry.DEFAULT)
                    .worker("right", workflow, "input", Retry.DEFAULT)
                    .worker("never", workflow, "input", Retry.DEFAULT)
                    .worker("joined", workflow, "input", Retry.DEFAULT)
                    .join("joined")
                    .from("start", "left", "right")
                    .when("start", "false", "never")
                    .from("left", "joined")
                    .from("right", "joined")
                    .from("never", "joined")
                    .output("left & ' ' & right")
                    .build());
        }
    },
    GRAPH_CYCLE(
            "round:1",
            " round",
            " start",
            "round:0 again",
            "round:0 beside",
            "round:0 step",
            "round:1 beside",
            "round:1 step") {
        @Override
        void draw(Engine engine, String workflow) {
            engine.worker(workflow, Object.class, (work, input) -> work.dimension());
            engine.register(Graph.named(workflow)
                    .trigger("start")
                    .hook("round")
                    .worker("step", workflow, "input", Retry.DEFAULT)
                    .worker("beside", workflow, "input", Retry.DEFAULT)
                    .cycle("again", "round")
                    .from("start", "round")
                    .from("round", "step", "beside")
                    .when("step", "round.round < 1", "again")
                    .output("step")
                    .build());
        }
    },
    GRAPH_HOOK("yes", " start", " votes", "votes:0 count", "votes:1 count") {
        @Override
        void draw(Engine engine, String workflow) {
            engine.worker(workflow, Object.class, (work, input) -> input);
            engine.register(Graph.named(workflow)
                    .trigger("start")
                    .hook("votes", "vote", null, 2)
                    .worker("count", workflow, "votes.signal", Retry.DEFAULT)
                    .from("start", "votes")
                    .from("votes", "count")
                    .output("count")
                    .build());
        }

        @Override
        public void act(Engine engine, JobId job) {
            engine.signal("default", job, "vote", "first", "\"yes\"".getBytes(StandardCharsets.UTF_8))
                    .join();
            engine.signal("default", job, "vote", "second", "\"yes\"".getBytes(StandardCharsets.UTF_8))
                    .join();
        }
    },
    GRAPH_TIMER("after", " after", " pause", " start") {
        @Override
        void draw(Engine engine, String workflow) {
            engine.worker(workflow, Object.class, (work, input) -> work.node());
            engine.register(Graph.named(workflow)
                    .trigger("start")
                    .timer("pause", Duration.ofMillis(20))
                    .worker("after", workflow, "input", Retry.DEFAULT)
                    .from("start", "pause")
                    .from("pause", "after")
                    .output("after")
                    .build());
        }
    },
    /** A hook that asks people, and a worker beside it that answers. */
    GRAPH_TASK("yes", " after", " answer", " ask", " start") {
        @Override
        void draw(Engine engine, String workflow) {
            engine.worker(workflow, Object.class, (work, input) -> input);
            engine.worker(workflow + ".answer", Object.class, (work, input) -> {
                TaskDesk desk = engine.tasks();
                desk.ofGroup("default", workflow, null, 10)
                        .forEach(task -> desk.resolve(
                                "default",
                                task.id(),
                                Person.named("ada"),
                                "\"yes\"".getBytes(StandardCharsets.UTF_8),
                                "key"));
                return "answered";
            });
            engine.register(Graph.named(workflow)
                    .trigger("start")
                    .task("ask", NodeAsk.group(workflow).about("input"))
                    .worker("answer", workflow + ".answer", "input", Retry.DEFAULT)
                    .worker("after", workflow, "ask.answer", Retry.DEFAULT)
                    .from("start", "ask", "answer")
                    .from("ask", "after")
                    .output("after")
                    .build());
        }
    },
    /** A hook that asks one group after the other, without an answer. */
    GRAPH_TASK_OVER("none", " after", " ask", " start") {
        @Override
        void draw(Engine engine, String workflow) {
            engine.worker(workflow, Object.class, (work, input) -> input);
            engine.register(Graph.named(workflow)
                    .trigger("start")
                    .task(
                            "ask",
                            NodeAsk.person("'ada'").escalate(Duration.ofMillis(10), "directors"),
                            Duration.ofMillis(20))
                    .worker("after", workflow, "ask.timed_out ? 'none' : ask.answer", Retry.DEFAULT)
                    .from("start", "ask")
                    .from("ask", "after")
                    .output("after")
                    .build());
        }
    },
    GRAPH_CHILD("from child", " after", " child", " start") {
        @Override
        void draw(Engine engine, String workflow) {
            engine.worker(workflow, Object.class, (work, input) -> input);
            engine.register(Graph.named(workflow)
                    .trigger("start")
                    .await("child", workflow + "-child", "input")
                    .worker("after", workflow, "child", Retry.DEFAULT)
                    .from("start", "child")
                    .from("child", "after")
                    .output("after")
                    .build());
            engine.register(Graph.named(workflow + "-child")
                    .trigger("begin")
                    .worker("work", workflow, "'from child'", Retry.DEFAULT)
                    .from("begin", "work")
                    .output("work")
                    .build());
        }
    },
    /** Code that runs a graph, which sends its parent a signal. */
    GRAPH_SIGNAL("hello", " $main", "1 $child:", "2 $await:news") {
        @Override
        void draw(Engine engine, String workflow) {
            engine.register(WorkflowType.of(workflow, String.class, String.class, (ctx, input) -> {
                ctx.child(workflow + "-sender", ctx.job().toString(), Object.class);
                return ctx.await("news", String.class);
            }));
            engine.register(Graph.named(workflow + "-sender")
                    .trigger("start")
                    .signal("tell", "input", "news", "'hello'")
                    .from("start", "tell")
                    .build());
        }
    },
    GRAPH_FAILURE(null, " doomed", " start", " waiting") {
        @Override
        void draw(Engine engine, String workflow) {
            engine.worker(workflow, Object.class, (work, input) -> {
                throw new IllegalStateException("no money");
            });
            engine.register(Graph.named(workflow)
                    .trigger("start")
                    .worker("doomed", workflow, "input", Retry.NONE)
                    .hook("waiting", "never")
                    .from("start", "doomed", "waiting")
                    .build());
        }
    },
    /** A job that fails and is redriven; only in the fork is the key of its work not its own. */
    GRAPH_REDRIVE(null, " before", " fragile", " start") {
        @Override
        void draw(Engine engine, String workflow) {
            engine.worker(workflow, Object.class, (work, input) -> "done");
            engine.worker(workflow + ".fragile", Object.class, (work, input) -> {
                Guid own = Guid.of(new ActivityId(work.job(), work.dimension(), work.node()), 0);
                if (work.key().equals(own.value().toString())) {
                    throw new IllegalStateException("no money");
                }
                return input;
            });
            engine.register(Graph.named(workflow)
                    .trigger("start")
                    .worker("before", workflow, "input", QUICK)
                    .worker("fragile", workflow + ".fragile", "before", QUICK)
                    .from("start", "before")
                    .from("before", "fragile")
                    .output("fragile")
                    .build());
        }

        @Override
        public void act(Engine engine, JobId job) {
            try {
                while (engine.await(job, Duration.ofMillis(200)).isEmpty()) {
                    engine.why("default", job); // ends this too if the engine is dead
                }
                engine.reruns().redrive("default", job);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    },
    GRAPH_INTERRUPT(null, " check", " refuse", " start", " waiting") {
        @Override
        void draw(Engine engine, String workflow) {
            engine.worker(workflow, Object.class, (work, input) -> "no stock");
            engine.register(Graph.named(workflow)
                    .trigger("start")
                    .worker("check", workflow, "input", Retry.DEFAULT)
                    .hook("waiting", "never")
                    .interrupt("refuse", JobOutcome.FAILED, "'refused: ' & check")
                    .from("start", "check", "waiting")
                    .from("check", "refuse")
                    .build());
        }
    },
    GRAPH_CANCEL(null) {
        @Override
        void draw(Engine engine, String workflow) {
            engine.worker(workflow, Object.class, (work, input) -> "begun");
            engine.register(Graph.named(workflow)
                    .trigger("start")
                    .worker("begun", workflow, "input", Retry.DEFAULT)
                    .hook("waiting", "never")
                    .from("start", "begun", "waiting")
                    .build());
        }

        @Override
        public void act(Engine engine, JobId job) {
            engine.cancel("default", job);
        }
    };

    private static final Retry QUICK = Retry.DEFAULT.waiting(Duration.ofMillis(1), Duration.ofMillis(5));
    private static final Set<JobId> FAILED_ONCE = ConcurrentHashMap.newKeySet();

    private final @Nullable String result;
    private final List<String> places;

    /** @param places path and name of every activity that is left; none if that depends on who is quicker */
    GraphCrashScenario(@Nullable String result, String... places) {
        this.result = result;
        this.places = List.of(places);
    }

    abstract void draw(Engine engine, String workflow);

    @Override
    public void register(Engine engine, String workflow) {
        draw(engine, workflow);
    }

    @Override
    public void act(Engine engine, JobId job) {}

    @Override
    public @Nullable String result() {
        return result;
    }

    @Override
    public JobOutcome outcome() {
        return switch (this) {
            case GRAPH_FAILURE, GRAPH_REDRIVE, GRAPH_INTERRUPT -> JobOutcome.FAILED;
            case GRAPH_CANCEL -> JobOutcome.CANCELLED;
            default -> JobOutcome.COMPLETED;
        };
    }

    @Override
    public int children() {
        return this == GRAPH_CHILD || this == GRAPH_SIGNAL ? 1 : 0;
    }

    @Override
    public int jobs() {
        return this == GRAPH_REDRIVE ? 2 : 1;
    }

    @Override
    public int effects() {
        return 0;
    }

    @Override
    public boolean leaves(List<? extends String> left) {
        // What a child is called is part of its name and differs from case to case.
        List<String> comparable = left.stream()
                .map(place -> place.replaceFirst("(\\$child:).*", "$1"))
                .toList();
        return places.isEmpty() || comparable.equals(places);
    }
}
