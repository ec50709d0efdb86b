package dev.tallystick.engine.graph;

import dev.tallystick.engine.model.Queues;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A workflow drawn as a graph of nodes and transitions. An instance is always runnable: the constructor checks it.
 *
 * @param version jobs stay with the version that they were begun with; several may be registered side by side
 * @param output what a completed job returns; null if that is nothing
 * @param limit how many of its jobs run at once and begin within a time; null if there is no limit
 */
public record Graph(
        String name,
        int version,
        List<PlacedNode> places,
        @Nullable Expression output,
        @Nullable GraphLimit limit) {

    public Graph {
        places = List.copyOf(places);
        List<String> problems = GraphCheck.problems(name, version, places, limit);
        if (!problems.isEmpty()) {
            throw new InvalidGraphException(name, problems);
        }
    }

    /** Starts building a graph of this name. */
    public static GraphBuilder named(String name) {
        return new GraphBuilder(name);
    }

    public Node.Trigger trigger() {
        return places.stream()
                .map(PlacedNode::node)
                .filter(Node.Trigger.class::isInstance)
                .map(Node.Trigger.class::cast)
                .findFirst()
                .orElseThrow();
    }

    public String queue() {
        return Queues.of(name, version);
    }

    static Map<String, PlacedNode> byName(List<PlacedNode> places) {
        Map<String, PlacedNode> byName = new LinkedHashMap<>();
        places.forEach(place -> byName.putIfAbsent(place.name(), place));
        return Collections.unmodifiableMap(byName);
    }

    static Map<String, List<String>> incoming(List<PlacedNode> places) {
        Map<String, List<String>> incoming = new LinkedHashMap<>();
        for (PlacedNode place : places) {
            for (PlacedNode.Transition transition : place.next()) {
                incoming.computeIfAbsent(transition.to(), to -> new ArrayList<>())
                        .add(place.name());
            }
        }
        return incoming;
    }
}
