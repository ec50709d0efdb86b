package dev.tallystick.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * What follows from how a graph is drawn: which nodes open dimensions, and in which dimension each node lives.
 *
 * <p>A dimension is a path. A node that may be told something more than once (the target of a cycle, a hook that takes several
 * signals) opens one each time: {@code poll:3} is the fourth round of {@code poll}, {@code outer:1/inner:0} the first round of
 * {@code inner} in the second of {@code outer}. What follows a node lives where the node has opened, or else where the node
 * lives. A join lives in the dimension of its fork: of the dimensions that its branches come from, it keeps those whose opener
 * lies on every way to it.
 *
 * <p>Transitions never lead in a circle, since going back is what cycle nodes are for; so all this is about a graph without
 * circles.
 */
final class GraphShape {

    /** Of two dimensions of one node the later round is the greater. */
    static final Comparator<String> ROUNDS = GraphShape::compareRounds;

    private final Map<String, GraphPlace> places;
    private final Map<String, List<String>> incoming;
    private final Set<String> openers = new LinkedHashSet<>();
    private final Map<String, Set<String>> dominators = new HashMap<>();

    GraphShape(List<GraphPlace> places) {
        this.places = Graph.byName(places);
        this.incoming = Graph.incoming(places);
        for (GraphPlace place : places) {
            switch (place.node()) {
                case GraphNode.Cycle cycle -> openers.add(cycle.back());
                case GraphNode.Hook hook when hook.takes() > 1 -> openers.add(hook.name());
                default -> {}
            }
        }
        this.places.keySet().forEach(this::dominatorsOf);
    }

    GraphPlace place(String name) {
        return Objects.requireNonNull(places.get(name), name);
    }

    Optional<GraphPlace> find(String name) {
        return Optional.ofNullable(places.get(name));
    }

    Set<String> openers() {
        return openers;
    }

    /** All bits that the arrivals at a join set, when they are complete. */
    long allArrivals(String join) {
        return (1L << incoming.getOrDefault(join, List.of()).size()) - 1;
    }

    /** The bit that the arrival from one node sets. */
    long arrival(String join, String from) {
        return 1L << incoming.getOrDefault(join, List.of()).indexOf(from);
    }

    /** Where what follows a node lives, if the node lives at {@code path} and was told its {@code ordinal}-th thing. */
    String opened(String path, String name, int ordinal) {
        if (!openers.contains(name)) {
            return path;
        }
        String round = name + ":" + ordinal;
        return path.isEmpty() ? round : path + "/" + round;
    }

    /** Where a join lives that is reached from {@code path}. */
    String joined(String path, String join) {
        List<String> kept = new ArrayList<>();
        for (String round : rounds(path)) {
            if (dominates(openerOf(round), join)) {
                kept.add(round);
            }
        }
        return String.join("/", kept);
    }

    /** Where the node lives whose round {@code path} lies in; what a cycle enters again. */
    static String before(String path, String opener) {
        List<String> rounds = rounds(path);
        for (int i = 0; i < rounds.size(); i++) {
            if (openerOf(rounds.get(i)).equals(opener)) {
                return String.join("/", rounds.subList(0, i));
            }
        }
        throw new IllegalStateException("'" + path + "' lies in no round of '" + opener + "'");
    }

    /** The path and all those around it, the outermost first. */
    static List<String> around(String path) {
        List<String> rounds = rounds(path);
        List<String> all = new ArrayList<>();
        for (int i = 0; i <= rounds.size(); i++) {
            all.add(String.join("/", rounds.subList(0, i)));
        }
        return all;
    }

    private static List<String> rounds(String path) {
        return path.isEmpty() ? List.of() : List.of(path.split("/", -1));
    }

    private static int compareRounds(String one, String other) {
        return Arrays.compare(numbers(one), numbers(other));
    }

    private static int[] numbers(String path) {
        return rounds(path).stream()
                .mapToInt(round -> Integer.parseInt(round.substring(round.indexOf(':') + 1)))
                .toArray();
    }

    private static String openerOf(String round) {
        return round.substring(0, round.indexOf(':'));
    }

    List<String> cyclesTo(String opener) {
        return places.values().stream()
                .filter(place -> place.node() instanceof GraphNode.Cycle cycle
                        && cycle.back().equals(opener))
                .map(GraphPlace::name)
                .toList();
    }

    /** Whether every way from the trigger to {@code later} passes {@code earlier}. */
    boolean dominates(String earlier, String later) {
        return !earlier.equals(later) && dominatorsOf(later).contains(earlier);
    }

    boolean reaches(String from, String to) {
        return reachesAvoiding(from, to, "");
    }

    /** Whether a way leads from one node to another without passing the third. */
    boolean reachesAvoiding(String from, String to, String avoided) {
        Set<String> seen = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(List.of(from));
        while (!open.isEmpty()) {
            String name = open.pop();
            if (name.equals(avoided) || !seen.add(name)) {
                continue;
            }
            for (GraphPlace.Transition transition : place(name).next()) {
                if (transition.to().equals(to)) {
                    return true;
                }
                open.push(transition.to());
            }
        }
        return false;
    }

    private Set<String> dominatorsOf(String name) {
        Set<String> known = dominators.get(name);
        if (known != null) {
            return known;
        }
        Set<String> found = new HashSet<>();
        List<String> from = incoming.getOrDefault(name, List.of());
        for (int i = 0; i < from.size(); i++) {
            if (i == 0) {
                found.addAll(dominatorsOf(from.get(i)));
            } else {
                found.retainAll(dominatorsOf(from.get(i)));
            }
        }
        found.add(name);
        dominators.put(name, found);
        return found;
    }
}
