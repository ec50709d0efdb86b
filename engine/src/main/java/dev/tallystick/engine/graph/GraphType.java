package dev.tallystick.engine.graph;

import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A graph that can run here, and its derived shape. */
public record GraphType(Graph graph, GraphShape shape) {

    public static GraphType of(Graph graph) {
        return new GraphType(graph, new GraphShape(graph.places()));
    }

    /** The workers that a process needs to take work of this graph. */
    public Set<String> workers(Node.Worker.By by) {
        return graph.places().stream()
                .map(PlacedNode::node)
                .filter(Node.Worker.class::isInstance)
                .map(Node.Worker.class::cast)
                .filter(worker -> worker.by() == by)
                .map(Node.Worker::worker)
                .collect(Collectors.toSet());
    }

    /** The workflows that it runs as child jobs. */
    public Set<String> children() {
        return graph.places().stream()
                .map(PlacedNode::node)
                .filter(Node.Await.class::isInstance)
                .map(Node.Await.class::cast)
                .map(Node.Await::workflow)
                .collect(Collectors.toSet());
    }

    /** The work at a node; null if there is none, because the graph was changed after its job arrived there. */
    public Node.@Nullable Worker worker(String node) {
        return shape.find(node).map(PlacedNode::node).orElse(null) instanceof Node.Worker worker ? worker : null;
    }

    /** The signal that a node sends; null if there is none, for the same reason. */
    @Nullable
    public String signal(String node) {
        return shape.find(node).map(PlacedNode::node).orElse(null) instanceof Node.Signal signal
                ? signal.signal()
                : null;
    }

    /** The hook at a node; null if there is none, for the same reason. */
    public Node.@Nullable Hook hook(String node) {
        return shape.find(node).map(PlacedNode::node).orElse(null) instanceof Node.Hook hook ? hook : null;
    }

    /** Why a job cannot continue at a node that no longer exists or has changed. */
    public String changed(String node) {
        return "node '" + node
                + "' is not what it was when the job came there: the graph was changed under its version "
                + graph.version() + "; a changed graph needs a version of its own";
    }
}
