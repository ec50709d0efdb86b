package dev.tallystick.engine.graph;

import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Retry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link Graph}, node by node; {@link #build} checks it. Expressions are JSONata over {@code input} and the outputs of
 * the nodes that have run.
 */
public final class GraphBuilder {

    private final String name;
    private int version = 1;
    private final List<Node> nodes = new ArrayList<>();
    private final Set<String> joins = new LinkedHashSet<>();
    private final Map<String, List<PlacedNode.Transition>> next = new LinkedHashMap<>();
    private @Nullable Expression output;
    private @Nullable GraphLimit limit;

    GraphBuilder(String name) {
        this.name = name;
    }

    public GraphBuilder version(int number) {
        version = number;
        return this;
    }

    public GraphBuilder trigger(String node) {
        return node(new Node.Trigger(node));
    }

    /** Work for the worker registered under the node's own name. */
    public GraphBuilder worker(String node, String input) {
        return worker(node, node, input, Retry.DEFAULT);
    }

    public GraphBuilder worker(String node, String worker, String input, Retry retry) {
        return node(new Node.Worker(node, Node.Worker.By.WORKER, worker, Expression.of(input), retry));
    }

    /** Work for any process that serves the topic. */
    public GraphBuilder topic(String node, String topic, String input, Retry retry) {
        return node(new Node.Worker(node, Node.Worker.By.TOPIC, topic, Expression.of(input), retry));
    }

    /** Work for a participant of the exchange: a posting, whose result is the node's output. */
    public GraphBuilder participant(String node, String participant, String input) {
        return node(
                new Node.Worker(node, Node.Worker.By.PARTICIPANT, participant, Expression.of(input), Retry.DEFAULT));
    }

    public GraphBuilder await(String node, String workflow, String input) {
        return node(new Node.Await(node, workflow, Expression.of(input)));
    }

    /** A target for cycles, which waits for nothing. */
    public GraphBuilder hook(String node) {
        return node(new Node.Hook(node, null, null, 1));
    }

    public GraphBuilder hook(String node, String signal) {
        return node(new Node.Hook(node, signal, null, 1));
    }

    public GraphBuilder hook(String node, @Nullable String signal, @Nullable Duration timer, int takes) {
        return node(new Node.Hook(node, signal, timer, takes));
    }

    /** Asks people and waits for their answer. */
    public GraphBuilder task(String node, NodeAsk ask) {
        return task(node, ask, null);
    }

    /** Asks people and waits for their answer, at most {@code patience} in total. */
    public GraphBuilder task(String node, NodeAsk ask, @Nullable Duration patience) {
        return node(new Node.Hook(node, null, patience, 1, ask));
    }

    public GraphBuilder timer(String node, Duration length) {
        return node(new Node.Hook(node, null, length, 1));
    }

    public GraphBuilder cycle(String node, String back) {
        return node(new Node.Cycle(node, back));
    }

    public GraphBuilder signal(String node, String job, String signal, String payload) {
        return node(new Node.Signal(node, Expression.of(job), signal, Expression.of(payload)));
    }

    public GraphBuilder interrupt(String node, JobOutcome outcome, String reason) {
        return node(new Node.Interrupt(node, outcome, Expression.of(reason)));
    }

    public GraphBuilder node(Node node) {
        nodes.add(node);
        return this;
    }

    /** Makes the node wait for every transition that leads to it. */
    public GraphBuilder join(String node) {
        joins.add(node);
        return this;
    }

    /** Adds transitions from one node to each of the others. */
    public GraphBuilder from(String node, String... to) {
        for (String each : to) {
            way(node, new PlacedNode.Transition(each, null));
        }
        return this;
    }

    /** Adds a transition that is taken if the condition holds. */
    public GraphBuilder when(String node, String condition, String to) {
        way(node, new PlacedNode.Transition(to, Expression.of(condition)));
        return this;
    }

    /** Adds a transition that is taken if {@code node} fails for good, instead of failing the job. */
    public GraphBuilder onFailure(String node, String to) {
        way(node, new PlacedNode.Transition(to, null, true));
        return this;
    }

    public GraphBuilder output(String expression) {
        output = Expression.of(expression);
        return this;
    }

    /** How many jobs of the graph run at once and begin within a time. */
    public GraphBuilder limit(GraphLimit most) {
        limit = most;
        return this;
    }

    public Graph build() {
        List<String> known = nodes.stream().map(Node::name).toList();
        List<String> problems = new ArrayList<>();
        for (String from : next.keySet()) {
            if (!known.contains(from)) {
                problems.add(
                        "a transition begins at '" + from + "', which is not a node: declare it, or correct the name");
            }
        }
        for (String join : joins) {
            if (!known.contains(join)) {
                problems.add("'" + join + "' is to join, and is no node: declare it, or correct the name");
            }
        }
        if (!problems.isEmpty()) {
            throw new InvalidGraphException(name, problems);
        }
        return new Graph(
                name,
                version,
                nodes.stream()
                        .map(node -> new PlacedNode(
                                node, joins.contains(node.name()), next.getOrDefault(node.name(), List.of())))
                        .toList(),
                output,
                limit);
    }

    private void way(String from, PlacedNode.Transition transition) {
        next.computeIfAbsent(from, node -> new ArrayList<>()).add(transition);
    }
}
