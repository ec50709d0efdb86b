package dev.tallystick.engine.simulation;

import dev.tallystick.engine.simulation.DrawnGraph.Condition;
import dev.tallystick.engine.simulation.DrawnGraph.Fate;
import dev.tallystick.engine.simulation.DrawnGraph.Kind;
import dev.tallystick.engine.simulation.DrawnGraph.Node;
import dev.tallystick.engine.simulation.DrawnGraph.Ref;
import dev.tallystick.engine.simulation.DrawnGraph.Way;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Says what a job of a drawn graph does, one thing after the other and in memory. Written after the guide and apart from the
 * engine, of which it uses nothing.
 */
final class GraphInterpreter {

    /** A job that does more is not worth its time in a test. */
    private static final int MOST = 150;

    /** A round of a node. */
    private record Round(String opener, int number) {}

    private record Place(String node, List<Round> path) {}

    /** The work that was done, as node and input. */
    record Call(String node, String input) {}

    /** @param signals how many each hook has taken */
    record Run(List<Call> calls, Map<String, Integer> signals, Map<String, Object> output) {}

    private record Entry(Place place, Map<String, Object> known) {}

    private final DrawnGraph graph;
    private final Object input;
    private final Map<List<Round>, Map<String, Object>> values = new HashMap<>();
    private final Map<Place, Integer> told = new HashMap<>();
    private final Map<Place, Map<String, Boolean>> arrivals = new LinkedHashMap<>();
    private final Set<Place> joined = new HashSet<>();
    private final Map<String, Set<String>> dominators = new HashMap<>();
    private final Deque<Entry> open = new ArrayDeque<>();
    private final List<Call> calls = new ArrayList<>();
    private final Map<String, Integer> signals = new TreeMap<>();

    private GraphInterpreter(DrawnGraph graph, Object input) {
        this.graph = graph;
        this.input = input;
        graph.nodes().forEach(node -> dominators.put(node.name(), dominatorsOf(node.name())));
    }

    /** Empty if the job is too long. */
    static Optional<Run> run(DrawnGraph graph, Map<String, Object> input) {
        return new GraphInterpreter(graph, input).run();
    }

    private Optional<Run> run() {
        Node trigger = graph.nodes().getFirst();
        tell(new Place(trigger.name(), List.of()), Map.of(), false);
        do {
            while (!open.isEmpty()) {
                enter(open.remove());
                if (calls.size() + told.size() > MOST) {
                    return Optional.empty();
                }
            }
        } while (settleOne());
        Map<String, Object> known = latest(List.of());
        return Optional.of(new Run(calls, signals, look(graph.output(), known)));
    }

    private void enter(Entry entry) {
        Place place = entry.place();
        Node node = graph.node(place.node());
        switch (node.kind()) {
            case WORKER -> work(node, place, entry.known());
            case AWAIT -> tell(place, DrawnGraph.respond(DrawnGraph.CHILD, look(node.input(), entry.known())), false);
            case TASK -> tell(place, Map.of("answer", DrawnGraph.answer(node.name())), false);
            case HOOK -> tell(place, Map.of("round", rounds(place)), false);
            case SIGNAL -> {
                for (int i = 0; i < node.takes(); i++) {
                    Map<String, Object> signal =
                            DrawnGraph.signal(!place.path().isEmpty(), signals.getOrDefault(node.name(), 0));
                    signals.merge(node.name(), 1, Integer::sum);
                    tell(place, Map.of("round", rounds(place), "signal", signal), false);
                }
            }
            case CYCLE -> {
                int at = 0;
                while (!place.path().get(at).opener().equals(node.back())) {
                    at++;
                }
                open.add(new Entry(new Place(node.back(), place.path().subList(0, at)), known(place.path())));
            }
            case TRIGGER -> throw new IllegalStateException("nothing leads to a trigger");
        }
    }

    private void work(Node node, Place place, Map<String, Object> known) {
        Map<String, Object> got = look(node.input(), known);
        if (node.counts()) {
            Object depth = find(known, node.name(), "n");
            got.put("n", depth instanceof Integer number ? number + 1 : 0);
        }
        calls.add(new Call(node.name(), DrawnGraph.canonical(got)));
        boolean fails = node.fate() == Fate.HANDLED && DrawnGraph.failsForGood(node.name(), got);
        tell(place, fails ? Map.of("error", "it fails") : DrawnGraph.respond(node.name(), got), fails);
    }

    private int rounds(Place place) {
        return told.getOrDefault(place, 0);
    }

    private void tell(Place place, Map<String, Object> output, boolean failed) {
        int number = rounds(place);
        told.put(place, number + 1);
        List<Round> path = place.path();
        values.computeIfAbsent(path, key -> new HashMap<>()).put(place.node(), output);
        if (graph.opens(place.node())) {
            path = new ArrayList<>(path);
            path.add(new Round(place.node(), number));
            values.computeIfAbsent(path, key -> new HashMap<>()).put(place.node(), output);
        }
        Map<String, Object> known = known(path);
        for (Way way : graph.from(place.node())) {
            boolean taken = way.onFailure() == failed && holds(way.when(), known);
            lead(way, path, taken, known);
        }
    }

    private void lead(Way way, List<Round> path, boolean taken, Map<String, Object> known) {
        Node target = graph.node(way.to());
        if (target.join()) {
            arrive(target, way.from(), path, taken);
        } else if (taken) {
            open.add(new Entry(new Place(target.name(), path), known));
        } else {
            skip(target, path);
        }
    }

    private void skip(Node node, List<Round> path) {
        graph.from(node.name()).forEach(way -> lead(way, path, false, Map.of()));
    }

    private void arrive(Node join, String from, List<Round> path, boolean taken) {
        List<Round> kept = path.stream()
                .filter(round -> dominates(round.opener(), join.name()))
                .toList();
        Place place = new Place(join.name(), kept);
        Map<String, Boolean> there = arrivals.computeIfAbsent(place, key -> new LinkedHashMap<>());
        if (kept.equals(path) || taken) {
            there.putIfAbsent(from, taken);
        }
        if (loopsLeftFor(join.name()).isEmpty() && there.keySet().containsAll(graph.to(join.name()))) {
            complete(place);
        }
    }

    /** Nothing runs any more: a join whose loops have come to their end is complete. Of those, one whose loops hold no other. */
    private boolean settleOne() {
        List<Place> waiting = arrivals.keySet().stream()
                .filter(place -> !joined.contains(place))
                .toList();
        for (Place place : waiting) {
            Set<String> loops = loopsLeftFor(place.node());
            boolean others = waiting.stream()
                    .anyMatch(other -> loops.stream().anyMatch(loop -> isInside(other.path(), loop, place.path())));
            Map<String, Boolean> there = Objects.requireNonNull(arrivals.get(place));
            if (!others
                    && graph.to(place.node()).stream()
                            .allMatch(from -> there.containsKey(from) || isOver(place, from))) {
                graph.to(place.node()).forEach(from -> there.putIfAbsent(from, false));
                complete(place);
                return true;
            }
        }
        return false;
    }

    private boolean isOver(Place join, String from) {
        return leftBy(from, join.node())
                .filter(opener -> told.containsKey(new Place(opener, join.path())))
                .isPresent();
    }

    private static boolean isInside(List<Round> path, String opener, List<Round> around) {
        return path.size() > around.size()
                && path.subList(0, around.size()).equals(around)
                && path.get(around.size()).opener().equals(opener);
    }

    private void complete(Place join) {
        if (!joined.add(join)) {
            return;
        }
        if (Objects.requireNonNull(arrivals.get(join)).containsValue(true)) {
            Map<String, Object> known = latest(join.path());
            known.putAll(known(join.path()));
            open.add(new Entry(join, known));
        } else {
            skip(graph.node(join.node()), join.path());
        }
    }

    private Set<String> loopsLeftFor(String join) {
        Set<String> loops = new LinkedHashSet<>();
        graph.to(join).forEach(from -> leftBy(from, join).ifPresent(loops::add));
        return loops;
    }

    /** The outermost loop that a way leaves. */
    private Optional<String> leftBy(String from, String join) {
        return graph.nodes().stream()
                .map(Node::name)
                .filter(graph::opens)
                .filter(opener -> opener.equals(from) || dominates(opener, from))
                .filter(opener -> !dominates(opener, join))
                .min((one, other) -> dominates(one, other) ? -1 : 1);
    }

    private boolean dominates(String earlier, String later) {
        return Objects.requireNonNull(dominators.get(later)).contains(earlier);
    }

    /** The nodes without which a node cannot be reached. */
    private Set<String> dominatorsOf(String node) {
        Set<String> found = new HashSet<>();
        for (Node each : graph.nodes()) {
            if (!each.name().equals(node) && !reaches(node, each.name())) {
                found.add(each.name());
            }
        }
        return found;
    }

    private boolean reaches(String node, String without) {
        Deque<String> ahead = new ArrayDeque<>(List.of(node));
        Set<String> seen = new HashSet<>();
        while (!ahead.isEmpty()) {
            String name = ahead.pop();
            if (name.equals(without) || !seen.add(name)) {
                continue;
            }
            if (graph.node(name).kind() == Kind.TRIGGER) {
                return true;
            }
            ahead.addAll(graph.to(name));
        }
        return false;
    }

    /** What is known in a round: what has run there, and around it. */
    private Map<String, Object> known(List<Round> path) {
        Map<String, Object> known = new HashMap<>();
        for (int i = 0; i <= path.size(); i++) {
            known.putAll(values.getOrDefault(path.subList(0, i), Map.of()));
        }
        known.put("input", input);
        return known;
    }

    /** The last round of each node, at a path and further in. */
    private Map<String, Object> latest(List<Round> path) {
        Map<String, List<Round>> where = new HashMap<>();
        Map<String, Object> latest = new HashMap<>();
        values.forEach((at, outputs) -> {
            if (at.size() >= path.size() && at.subList(0, path.size()).equals(path)) {
                outputs.forEach((node, output) -> {
                    if (!where.containsKey(node) || isLater(at, where.get(node))) {
                        where.put(node, at);
                        latest.put(node, output);
                    }
                });
            }
        });
        return latest;
    }

    private static boolean isLater(List<Round> one, List<Round> other) {
        for (int i = 0; i < Math.min(one.size(), other.size()); i++) {
            if (one.get(i).number() != other.get(i).number()) {
                return one.get(i).number() > other.get(i).number();
            }
        }
        return one.size() > other.size();
    }

    private static boolean holds(@Nullable Condition when, Map<String, Object> known) {
        if (when == null) {
            return true;
        }
        Object value = find(known, when.ref().node(), when.ref().field());
        return value instanceof Integer number && number < when.limit() == when.below();
    }

    private static Map<String, Object> look(List<Ref> refs, Map<String, Object> known) {
        Map<String, Object> found = new TreeMap<>();
        for (Ref ref : refs) {
            Object value = find(known, ref.node(), ref.field());
            if (value != null) {
                found.put(ref.key(), value);
            }
        }
        return found;
    }

    private static @Nullable Object find(Map<String, Object> known, String node, String field) {
        Object value = known.get(node);
        for (String part : field.split("\\.")) {
            value = value instanceof Map<?, ?> map ? map.get(part) : null;
        }
        return value;
    }
}
