package dev.tallystick.engine.graph;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Derived from how a graph is drawn: which nodes open dimensions, and in which dimension each node lives.
 *
 * <p>A node that may receive more than one event (the target of a cycle, a hook that takes several signals) opens a
 * {@link Dimension} for each. What follows a node lives in the dimension that the node opened, or else in the node's own. A
 * join lives in the dimension of its fork: of the dimensions that its branches come from, it keeps those whose opener lies on
 * every path to it.
 *
 * <p>Transitions form no cycle, because only cycle nodes lead back; so this class deals with an acyclic graph whose nodes are
 * all reachable from its trigger. Nothing here recurses: a graph may be as deep as it has nodes.
 */
public final class GraphShape {

    private final Map<String, PlacedNode> places;
    private final Map<String, List<String>> incoming;
    private final Set<String> openers = new LinkedHashSet<>();

    /** A node is dominated by the nodes whose span contains it. */
    private final Map<String, Span> spans;

    private final Loops loops;

    /** A node's position in the dominator tree, and the first position after everything it dominates. */
    private record Span(int begin, int end) {}

    GraphShape(List<PlacedNode> places) {
        this.places = Graph.byName(places);
        this.incoming = Graph.incoming(places);
        for (PlacedNode place : places) {
            switch (place.node()) {
                case Node.Cycle cycle -> openers.add(cycle.back());
                case Node.Hook hook when hook.takes() > 1 -> openers.add(hook.name());
                default -> {}
            }
        }
        this.spans = spans();
        this.loops = new Loops(this);
    }

    public PlacedNode place(String name) {
        return Objects.requireNonNull(places.get(name), name);
    }

    public Optional<PlacedNode> find(String name) {
        return Optional.ofNullable(places.get(name));
    }

    Set<String> names() {
        return places.keySet();
    }

    /** The nodes with a transition to this one. */
    List<String> incoming(String name) {
        return incoming.getOrDefault(name, List.of());
    }

    Set<String> openers() {
        return openers;
    }

    public boolean opens(String name) {
        return openers.contains(name);
    }

    public Loops loops() {
        return loops;
    }

    /** The bits of all arrivals at a join. */
    public long allArrivals(String join) {
        return (1L << incoming(join).size()) - 1;
    }

    /** The bit for the arrival from one node. */
    public long arrival(String join, String from) {
        return 1L << incoming(join).indexOf(from);
    }

    /** Where the successors of a node live, if the node lives at {@code path} and has received event number {@code ordinal}. */
    public String opened(String path, String name, int ordinal) {
        return opens(name) ? Dimension.opened(path, name, ordinal) : path;
    }

    /** Where a join that is reached from {@code path} lives. */
    public String joined(String path, String join) {
        return Dimension.around(path).stream()
                .filter(each -> each.isOutermost() || dominates(each.opener(), join))
                .reduce((outer, inner) -> inner)
                .map(Dimension::path)
                .orElseThrow();
    }

    /** Whether every path from the trigger to {@code later} passes through {@code earlier}. */
    boolean dominates(String earlier, String later) {
        Span one = Objects.requireNonNull(spans.get(earlier), earlier);
        Span other = Objects.requireNonNull(spans.get(later), later);
        return one.begin() < other.begin() && other.begin() < one.end();
    }

    private Map<String, Span> spans() {
        List<String> order = inOrder();
        Map<String, Integer> positions = new HashMap<>();
        Map<String, String> dominators = new HashMap<>();
        for (String name : order) {
            positions.put(name, positions.size());
            incoming(name).stream()
                    .reduce((one, other) -> nearest(one, other, dominators, positions))
                    .ifPresent(nearest -> dominators.put(name, nearest));
        }
        Map<String, Integer> sizes = new HashMap<>();
        for (String name : order.reversed()) {
            int size = sizes.merge(name, 1, Integer::sum);
            String dominator = dominators.get(name);
            if (dominator != null) {
                sizes.merge(dominator, size, Integer::sum);
            }
        }
        Map<String, Span> found = new HashMap<>();
        Map<String, Integer> free = new HashMap<>();
        for (String name : order) {
            String dominator = dominators.get(name);
            int size = Objects.requireNonNull(sizes.get(name));
            int begin = dominator == null ? 0 : Objects.requireNonNull(free.get(dominator));
            if (dominator != null) {
                free.put(dominator, begin + size);
            }
            free.put(name, begin + 1);
            found.put(name, new Span(begin, begin + size));
        }
        return found;
    }

    /** The last node that lies on every path to both. */
    private static String nearest(
            String one, String other, Map<String, String> dominators, Map<String, Integer> positions) {
        String left = one;
        String right = other;
        while (!left.equals(right)) {
            if (Objects.requireNonNull(positions.get(left)) > Objects.requireNonNull(positions.get(right))) {
                left = Objects.requireNonNull(dominators.get(left));
            } else {
                right = Objects.requireNonNull(dominators.get(right));
            }
        }
        return left;
    }

    /** The nodes in topological order. */
    private List<String> inOrder() {
        Map<String, Integer> awaited = new HashMap<>();
        Deque<String> ready = new ArrayDeque<>();
        for (String name : places.keySet()) {
            awaited.put(name, incoming(name).size());
            if (incoming(name).isEmpty()) {
                ready.add(name);
            }
        }
        List<String> order = new ArrayList<>();
        while (!ready.isEmpty()) {
            String name = ready.remove();
            order.add(name);
            for (PlacedNode.Transition transition : place(name).next()) {
                if (awaited.merge(transition.to(), -1, Integer::sum) == 0) {
                    ready.add(transition.to());
                }
            }
        }
        return order;
    }
}
