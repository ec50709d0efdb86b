package dev.tallystick.tidy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Finds the cycles of a graph: each largest set of nodes that all lead to each other (Tarjan's algorithm). */
final class Cycles {

    private final Map<String, Set<String>> arrows;
    private final Map<String, Integer> number = new HashMap<>();
    private final Map<String, Integer> lowest = new HashMap<>();
    private final Deque<String> open = new ArrayDeque<>();
    private final List<Set<String>> found = new ArrayList<>();

    private Cycles(Map<String, Set<String>> arrows) {
        this.arrows = arrows;
    }

    /** Sets of two or more nodes. */
    static List<Set<String>> in(Map<String, Set<String>> arrows) {
        Cycles cycles = new Cycles(arrows);
        arrows.keySet().forEach(node -> {
            if (!cycles.number.containsKey(node)) {
                cycles.visit(node);
            }
        });
        return cycles.found;
    }

    private void visit(String node) {
        number.put(node, number.size());
        lowest.put(node, number.get(node));
        open.push(node);
        for (String next : arrows.getOrDefault(node, Set.of())) {
            if (!number.containsKey(next)) {
                visit(next);
                lowest.merge(node, lowest.get(next), Math::min);
            } else if (open.contains(next)) {
                lowest.merge(node, number.get(next), Math::min);
            }
        }
        if (lowest.get(node).equals(number.get(node))) {
            Set<String> cycle = new TreeSet<>();
            String last;
            do {
                last = open.pop();
                cycle.add(last);
            } while (!last.equals(node));
            if (cycle.size() > 1) {
                found.add(cycle);
            }
        }
    }
}
