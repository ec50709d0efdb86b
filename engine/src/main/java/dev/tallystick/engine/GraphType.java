package dev.tallystick.engine;

import java.util.Set;
import java.util.stream.Collectors;

/** A graph that can be run here, and what follows from how it is drawn. */
record GraphType(Graph graph, GraphShape shape) {

    static GraphType of(Graph graph) {
        return new GraphType(graph, new GraphShape(graph.places()));
    }

    /** The workers that a process must have to take work of this graph. */
    Set<String> workers(boolean topic) {
        return graph.places().stream()
                .map(GraphPlace::node)
                .filter(GraphNode.Worker.class::isInstance)
                .map(GraphNode.Worker.class::cast)
                .filter(worker -> worker.topic() == topic)
                .map(GraphNode.Worker::worker)
                .collect(Collectors.toSet());
    }

    GraphNode.Worker worker(String node) {
        return (GraphNode.Worker) shape.place(node).node();
    }
}
