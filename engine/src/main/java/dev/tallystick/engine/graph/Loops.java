package dev.tallystick.engine.graph;

import dev.tallystick.engine.model.ActivityId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which joins connect a loop with nodes outside it, and which activities keep such a loop open.
 *
 * <p>A loop consists of all nodes that its opener dominates. A join outside learns of the loop once, when the loop is left:
 * when none of its open activities can start another round or lead out.
 */
public final class Loops {

    private final GraphShape shape;

    /** By opener, the joins outside its loop; by join, the nodes inside that lead to it. */
    private final Map<String, Map<String, List<String>>> exits = new LinkedHashMap<>();

    private final Map<String, Set<String>> within = new HashMap<>();

    /** The openers of loops that can start another round without waiting. */
    private final Set<String> spinning = new HashSet<>();

    Loops(GraphShape shape) {
        this.shape = shape;
        for (String name : shape.names()) {
            if (shape.place(name).join()) {
                shape.incoming(name).forEach(from -> note(from, name));
            }
        }
        shape.openers().stream().filter(this::mayGoRoundAtOnce).forEach(spinning::add);
        exits.forEach((opener, joins) -> within.put(opener, leadingOn(opener, joins.keySet())));
    }

    /** The joins outside the loop of a node, and for each the nodes inside that lead to it. */
    public Map<String, List<String>> exits(String opener) {
        return exits.getOrDefault(opener, Map.of());
    }

    /** The loops that lead to a join from inside. */
    public List<String> leftFor(String join) {
        return exits.entrySet().stream()
                .filter(each -> each.getValue().containsKey(join))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Whether an open activity keeps this loop open; {@code path} is where the opener lives. */
    public boolean keepsOpen(ActivityId activity, String opener, String path) {
        if (!within.getOrDefault(opener, Set.of()).contains(activity.name())) {
            return false;
        }
        return activity.name().equals(opener)
                ? activity.path().equals(path)
                : Dimension.around(activity.path()).stream()
                        .anyMatch(each ->
                                each.opener().equals(opener) && each.around().equals(path));
    }

    /**
     * About how many rounds a job has made without waiting when a node receives an event, if it can at all: nested rounds
     * multiply.
     */
    public long roundsAtOnce(ActivityId activity, int ordinal) {
        if (!spinning.contains(activity.name())) {
            return 0;
        }
        return Dimension.around(activity.path()).stream()
                .filter(each -> spinning.contains(each.opener()))
                .mapToLong(each -> each.round() + 1L)
                .reduce(ordinal + 1L, (one, other) -> one * other);
    }

    private boolean mayGoRoundAtOnce(String opener) {
        Set<String> reached = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(List.of(opener));
        while (!open.isEmpty()) {
            PlacedNode place = shape.place(open.pop());
            if (place.node() instanceof Node.Cycle cycle && cycle.back().equals(opener)) {
                return true;
            }
            if (!place.node().waits()) {
                place.next().stream()
                        .map(PlacedNode.Transition::to)
                        .filter(reached::add)
                        .forEach(open::push);
            }
        }
        return false;
    }

    /** If a transition leaves several nested loops, the outermost is left last. */
    private void note(String from, String join) {
        shape.openers().stream()
                .filter(opener -> opener.equals(from) || shape.dominates(opener, from))
                .filter(opener -> !shape.dominates(opener, join))
                .reduce((one, other) -> shape.dominates(one, other) ? one : other)
                .ifPresent(opener -> exits.computeIfAbsent(opener, key -> new LinkedHashMap<>())
                        .computeIfAbsent(join, key -> new ArrayList<>())
                        .add(from));
    }

    /** The nodes of a loop from which a path leads to its next round or out of it. */
    private Set<String> leadingOn(String opener, Set<String> joins) {
        Map<String, List<String>> cycles = new HashMap<>();
        Deque<String> open = new ArrayDeque<>(joins);
        for (String name : shape.names()) {
            if (shape.place(name).node() instanceof Node.Cycle cycle) {
                cycles.computeIfAbsent(cycle.back(), back -> new ArrayList<>()).add(name);
            }
        }
        open.addAll(cycles.getOrDefault(opener, List.of()));
        Set<String> found = new HashSet<>(cycles.getOrDefault(opener, List.of()));
        while (!open.isEmpty()) {
            String name = open.pop();
            List<String> before = new ArrayList<>(shape.incoming(name));
            before.addAll(cycles.getOrDefault(name, List.of()));
            for (String each : before) {
                boolean inside = each.equals(opener) || shape.dominates(opener, each);
                if (inside && found.add(each)) {
                    open.push(each);
                }
            }
        }
        return found;
    }
}
