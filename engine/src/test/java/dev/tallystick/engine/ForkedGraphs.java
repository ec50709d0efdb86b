package dev.tallystick.engine;

import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphBuilder;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Retry;

/** Graphs whose jobs are forked; all their work is done by one worker. */
public final class ForkedGraphs {

    public static final String WORKER = "any";

    public static GraphBuilder worker(GraphBuilder graph, String node, String input) {
        return graph.worker(node, WORKER, input, Retry.NONE);
    }

    public static Graph line() {
        GraphBuilder graph = Graph.named("line").trigger("start");
        worker(graph, "before", "input");
        worker(graph, "fragile", "before");
        worker(graph, "after", "fragile");
        return graph.from("start", "before")
                .from("before", "fragile")
                .from("fragile", "after")
                .output("after")
                .build();
    }

    /** Two branches and one that is never taken, joined. */
    public static Graph fork() {
        GraphBuilder graph = Graph.named("fork").trigger("start");
        worker(graph, "left", "'l'");
        worker(graph, "fragile", "'r'");
        worker(graph, "never", "'n'");
        worker(graph, "joined", "[left, fragile, never]");
        return graph.join("joined")
                .from("start", "left", "fragile")
                .when("start", "false", "never")
                .from("left", "joined")
                .from("fragile", "joined")
                .from("never", "joined")
                .output("joined")
                .build();
    }

    /** A branch that waits for a signal, beside one that may fail. */
    public static Graph ending(String name, JobOutcome outcome, String output) {
        return worker(Graph.named(name).trigger("start"), "check", "input")
                .interrupt("end", outcome, output)
                .from("start", "check")
                .from("check", "end")
                .build();
    }

    public static Graph gated() {
        GraphBuilder graph = Graph.named("gated").trigger("start").hook("gate", "go");
        worker(graph, "left", "'l'");
        worker(graph, "fragile", "left");
        worker(graph, "joined", "gate.signal & fragile");
        return graph.join("joined")
                .from("start", "left", "gate")
                .from("left", "fragile")
                .from("gate", "joined")
                .from("fragile", "joined")
                .output("joined")
                .build();
    }

    /** Three rounds outside, two inside each. */
    public static Graph nested() {
        GraphBuilder graph =
                Graph.named("nested").trigger("start").hook("outer").hook("inner");
        worker(graph, "step", "outer.round & '.' & inner.round");
        worker(graph, "beside", "inner.round");
        worker(graph, "last", "step");
        return graph.cycle("in_again", "inner")
                .cycle("out_again", "outer")
                .from("start", "outer")
                .from("outer", "inner")
                .from("inner", "step", "beside")
                .when("step", "inner.round < 1", "in_again")
                .when("step", "inner.round = 1 and outer.round < 2", "out_again")
                .when("step", "inner.round = 1 and outer.round = 2", "last")
                .output("last")
                .build();
    }

    /** A cycle whose record is long. */
    public static Graph hundredRounds() {
        GraphBuilder graph = Graph.named("long").trigger("start").hook("round");
        worker(graph, "step", "round.round");
        return graph.cycle("again", "round")
                .from("start", "round")
                .from("round", "step")
                .when("step", "round.round < 99", "again")
                .output("step")
                .build();
    }

    private ForkedGraphs() {}
}
