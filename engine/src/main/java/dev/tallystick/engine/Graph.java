package dev.tallystick.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A workflow drawn as a graph of nodes and transitions. An instance is always runnable: the constructor checks it.
 *
 * @param version jobs stay with the version they were started with; several may be registered at once
 * @param output the result of a completed job; null for none
 */
public record Graph(
        String name,
        int version,
        List<GraphPlace> places,
        @Nullable Expression output) {

    public Graph {
        places = List.copyOf(places);
        List<String> problems = GraphCheck.problems(name, version, places);
        if (!problems.isEmpty()) {
            throw new InvalidGraphException(name, problems);
        }
    }

    /** Starts building a graph of this name. */
    public static GraphBuilder named(String name) {
        return new GraphBuilder(name);
    }

    GraphNode.Trigger trigger() {
        return places.stream()
                .map(GraphPlace::node)
                .filter(GraphNode.Trigger.class::isInstance)
                .map(GraphNode.Trigger.class::cast)
                .findFirst()
                .orElseThrow();
    }

    String queue() {
        return Runner.queueOf(name, version);
    }

    static Map<String, GraphPlace> byName(List<GraphPlace> places) {
        Map<String, GraphPlace> byName = new LinkedHashMap<>();
        places.forEach(place -> byName.putIfAbsent(place.name(), place));
        return Collections.unmodifiableMap(byName);
    }

    static Map<String, List<String>> incoming(List<GraphPlace> places) {
        Map<String, List<String>> incoming = new LinkedHashMap<>();
        for (GraphPlace place : places) {
            for (GraphPlace.Transition transition : place.next()) {
                incoming.computeIfAbsent(transition.to(), to -> new ArrayList<>())
                        .add(place.name());
            }
        }
        return incoming;
    }
}
