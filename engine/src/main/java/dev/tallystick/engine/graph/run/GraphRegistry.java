package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphLimit;
import dev.tallystick.engine.graph.GraphType;
import dev.tallystick.engine.graph.Node.Worker.By;
import dev.tallystick.engine.model.LaneRule;
import dev.tallystick.workflow.GraphWorker;
import java.lang.reflect.Type;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The graphs and workers of one process, and the graphs that it knows from other processes. Thread-safe. */
final class GraphRegistry {

    private final Map<String, GraphType> types = new ConcurrentHashMap<>();
    private final Set<String> retired = ConcurrentHashMap.newKeySet();
    private final Map<String, GraphWorker.Typed<?>> workers = new ConcurrentHashMap<>();
    private final RemoteWorkflows remoteWorkflows;

    /** Whether any graph of this process has a limit; asked whenever a job begins or ends. */
    private volatile boolean hasLimits;

    GraphRegistry(RemoteWorkflows remoteWorkflows) {
        this.remoteWorkflows = remoteWorkflows;
    }

    void register(Graph graph) {
        if (types.putIfAbsent(graph.queue(), GraphType.of(graph)) != null) {
            throw new IllegalArgumentException(
                    "workflow '" + graph.name() + "' version " + graph.version() + " is registered already");
        }
        if (graph.limit() != null) {
            hasLimits = true;
        }
    }

    boolean hasLimits() {
        return hasLimits;
    }

    /** The limits of the graphs of this process. What has lost its limit has one too, for it may have left jobs in lanes. */
    Map<String, LaneRule> rules() {
        return types.values().stream()
                .map(type -> type.graph().name())
                .distinct()
                .map(this::rule)
                .collect(Collectors.toMap(LaneRule::workflow, rule -> rule));
    }

    /** The limit of a workflow: of the newest version of this process, or else of the newest that others have registered. */
    LaneRule rule(String workflow) {
        Stream<Graph> ours = types.values().stream().map(GraphType::graph);
        return newest(ours, workflow)
                .or(() -> newest(others(), workflow))
                .flatMap(graph -> Optional.ofNullable(graph.limit()))
                .orElseGet(GraphLimit::overall)
                .rule(workflow);
    }

    private Stream<Graph> others() {
        return remoteWorkflows.all().stream()
                .flatMap(each -> Stream.ofNullable(each.graph()))
                .map(GraphType::graph);
    }

    /** Whether a version of it has a limit, as far as is known here. */
    boolean mayHaveLimit(String workflow) {
        return Stream.concat(types.values().stream().map(GraphType::graph), others())
                .anyMatch(graph -> graph.name().equals(workflow) && graph.limit() != null);
    }

    private static Optional<Graph> newest(Stream<Graph> graphs, String workflow) {
        return graphs.filter(graph -> graph.name().equals(workflow)).max(Comparator.comparingInt(Graph::version));
    }

    /** Sets whether new jobs of the graph may start; existing ones continue either way. */
    void start(String queue, boolean starts) {
        if (starts) {
            retired.remove(queue);
        } else {
            retired.add(queue);
        }
    }

    <I extends @Nullable Object> void register(String name, Type input, GraphWorker<I, ?> worker) {
        if (workers.putIfAbsent(name, new GraphWorker.Typed<>(input, worker)) != null) {
            throw new IllegalArgumentException("worker '" + name + "' is registered already");
        }
    }

    /** The graph, registered here or by another process. */
    @Nullable
    GraphType type(String queue) {
        GraphType type = types.get(queue);
        return type == null ? remoteWorkflows.graph(queue) : type;
    }

    /**
     * As {@link #type}, but for a graph of another process it first refreshes what others have registered, including its
     * children.
     */
    @Nullable
    GraphType typeAnywhere(String queue) {
        if (!types.containsKey(queue)) {
            remoteWorkflows.look();
            GraphType type = remoteWorkflows.graph(queue);
            if (type == null || type.children().stream().anyMatch(child -> remoteWorkflows.newest(child) == null)) {
                remoteWorkflows.lookAgain();
            }
        }
        return type(queue);
    }

    GraphWorker.@Nullable Typed<?> worker(String name) {
        return workers.get(name);
    }

    @Nullable
    Graph newest(String workflow) {
        return newest(startable(), workflow).orElse(null);
    }

    /** The graphs of this process whose jobs may start. */
    Stream<Graph> startable() {
        return types.values().stream().map(GraphType::graph).filter(graph -> !retired.contains(graph.queue()));
    }

    boolean isRetired(String queue) {
        return retired.contains(queue);
    }

    /** The graphs whose engine work may be done here. */
    Set<String> graphs() {
        return types.keySet();
    }

    /** The queues to take work from: graphs all of whose workers are here, and topics served here. */
    Set<String> queues() {
        Set<String> queues = new HashSet<>();
        types.forEach((queue, type) -> {
            if (workers.keySet().containsAll(type.workers(By.WORKER))) {
                queues.add(queue);
            }
            addTopics(type, queues);
        });
        for (RemoteWorkflows.Registered other : remoteWorkflows.all()) {
            if (other.graph() != null) {
                addTopics(other.graph(), queues);
            }
        }
        return queues;
    }

    /** As {@link #queues}, but first refreshes the graphs of others if a worker here is not named by any graph here. */
    Set<String> queuesAnywhere() {
        Set<String> named = new HashSet<>();
        types.values().forEach(type -> {
            named.addAll(type.workers(By.WORKER));
            named.addAll(type.workers(By.TOPIC));
        });
        if (!named.containsAll(workers.keySet())) {
            remoteWorkflows.look();
        }
        return queues();
    }

    private void addTopics(GraphType type, Set<String> queues) {
        type.workers(By.TOPIC).stream().filter(workers::containsKey).forEach(queues::add);
    }
}
