package dev.tallystick.engine;

import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A graph that can run here, and its derived shape. */
record GraphType(Graph graph, GraphShape shape) {

    static GraphType of(Graph graph) {
        return new GraphType(graph, new GraphShape(graph.places()));
    }

    /** The workers that a process needs to take work of this graph. */
    Set<String> workers(boolean topic) {
        return graph.places().stream()
                .map(GraphPlace::node)
                .filter(GraphNode.Worker.class::isInstance)
                .map(GraphNode.Worker.class::cast)
                .filter(worker -> worker.topic() == topic)
                .map(GraphNode.Worker::worker)
                .collect(Collectors.toSet());
    }

    /** The workflows that it runs as child jobs. */
    Set<String> children() {
        return graph.places().stream()
                .map(GraphPlace::node)
                .filter(GraphNode.Await.class::isInstance)
                .map(GraphNode.Await.class::cast)
                .map(GraphNode.Await::workflow)
                .collect(Collectors.toSet());
    }

    /** The work at a node; null if there is none, because the graph was changed after its job arrived there. */
    GraphNode.@Nullable Worker worker(String node) {
        return shape.find(node).map(GraphPlace::node).orElse(null) instanceof GraphNode.Worker worker ? worker : null;
    }

    /** The signal that a node sends; null if there is none, for the same reason. */
    @Nullable
    String signal(String node) {
        return shape.find(node).map(GraphPlace::node).orElse(null) instanceof GraphNode.Signal signal
                ? signal.signal()
                : null;
    }

    /** The hook at a node; null if there is none, for the same reason. */
    GraphNode.@Nullable Hook hook(String node) {
        return shape.find(node).map(GraphPlace::node).orElse(null) instanceof GraphNode.Hook hook ? hook : null;
    }

    /** Why a job cannot continue at a node that no longer exists or has changed. */
    String changed(String node) {
        return "node '" + node
                + "' is not what it was when the job came there: the graph was changed under its version "
                + graph.version() + "; a changed graph needs a version of its own";
    }
}
