package dev.tallystick.engine;

import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The graphs and the workers of one process. Thread-safe. */
final class GraphRegistry {

    private final Map<String, GraphType> types = new ConcurrentHashMap<>();
    private final Map<String, GraphWorker.Typed<?>> workers = new ConcurrentHashMap<>();

    void register(Graph graph) {
        if (types.putIfAbsent(graph.queue(), GraphType.of(graph)) != null) {
            throw new IllegalArgumentException(
                    "workflow '" + graph.name() + "' version " + graph.version() + " is registered already");
        }
    }

    <I extends @Nullable Object> void register(String name, Type input, GraphWorker<I, ?> worker) {
        if (workers.putIfAbsent(name, new GraphWorker.Typed<>(input, worker)) != null) {
            throw new IllegalArgumentException("worker '" + name + "' is registered already");
        }
    }

    @Nullable
    GraphType type(String queue) {
        return types.get(queue);
    }

    GraphWorker.@Nullable Typed<?> worker(String name) {
        return workers.get(name);
    }

    @Nullable
    Graph newest(String workflow) {
        return types.values().stream()
                .map(GraphType::graph)
                .filter(graph -> graph.name().equals(workflow))
                .max((one, other) -> Integer.compare(one.version(), other.version()))
                .orElse(null);
    }

    Set<String> workflows() {
        return types.values().stream().map(type -> type.graph().name()).collect(Collectors.toSet());
    }

    /** The graphs whose own part may be done here. */
    Set<String> graphs() {
        return types.keySet();
    }

    /** Where work may be taken from: graphs all of whose workers are here, and topics that are served here. */
    Set<String> queues() {
        Set<String> queues = new HashSet<>();
        types.forEach((queue, type) -> {
            if (workers.keySet().containsAll(type.workers(false))) {
                queues.add(queue);
            }
            type.workers(true).stream().filter(workers::containsKey).forEach(queues::add);
        });
        return queues;
    }
}
