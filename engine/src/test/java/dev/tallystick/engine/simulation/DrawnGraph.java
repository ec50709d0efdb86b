package dev.tallystick.engine.simulation;

import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphBuilder;
import dev.tallystick.engine.graph.NodeAsk;
import dev.tallystick.workflow.Retry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A graph in a form that says nothing about how it is run: {@link GraphInterpreter} reads it, and an engine gets its rendering. */
record DrawnGraph(String name, List<Node> nodes, List<Way> ways, List<Ref> output) {

    /** All work is done by one worker, and all that is awaited is one workflow. */
    static final String WORKER = "any";

    static final String CHILD = "kid";

    private static final Pattern PREFIX = Pattern.compile("g\\d+(?=[a-z])");

    enum Kind {
        TRIGGER,
        WORKER,
        HOOK,
        SIGNAL,
        TASK,
        AWAIT,
        CYCLE
    }

    /** How the work at a node goes. */
    enum Fate {
        GOOD,
        /** The first attempt fails. */
        SECOND_ATTEMPT,
        /** Some inputs make it fail for good, and the graph handles that. */
        HANDLED,
        /** It fails for good while the world is broken. */
        FRAGILE
    }

    /**
     * @param back what a cycle goes back to, or empty
     * @param takes how many signals
     * @param counts whether it is the target of a cycle, and counts how deep it is in rounds
     */
    record Node(
            String name, Kind kind, boolean join, String back, int takes, List<Ref> input, boolean counts, Fate fate) {}

    /** A place in what is known: {@code node.field}. */
    record Ref(String node, String field, boolean isNumber) {

        String key() {
            return node + "_" + field.replace('.', '_');
        }

        @Override
        public String toString() {
            return node + "." + field;
        }
    }

    record Condition(Ref ref, boolean below, int limit) {

        Condition negated() {
            return new Condition(ref, !below, limit);
        }

        @Override
        public String toString() {
            return ref + (below ? " < " : " >= ") + limit;
        }
    }

    record Way(String from, String to, @Nullable Condition when, boolean onFailure) {}

    Node node(String wanted) {
        return nodes.stream()
                .filter(each -> each.name().equals(wanted))
                .findFirst()
                .orElseThrow();
    }

    List<Way> from(String wanted) {
        return ways.stream().filter(way -> way.from().equals(wanted)).toList();
    }

    List<String> to(String wanted) {
        return ways.stream()
                .filter(way -> way.to().equals(wanted))
                .map(Way::from)
                .toList();
    }

    boolean opens(String wanted) {
        return node(wanted).takes() > 1
                || nodes.stream().anyMatch(each -> each.back().equals(wanted));
    }

    /** Whether a node may be cycled back to from several places, so that rounds may run side by side and are numbered as they come. */
    boolean hasRoundsSideBySide() {
        List<Node> cycles =
                nodes.stream().filter(each -> each.kind() == Kind.CYCLE).toList();
        return nodes.stream().anyMatch(each -> each.takes() > 1)
                || cycles.stream().map(Node::back).distinct().count() < cycles.size()
                || cycles.stream().anyMatch(this::isInInnerRounds);
    }

    /** Each inner round may come to the cycle of the outer loop. */
    private boolean isInInnerRounds(Node cycle) {
        return nodes.stream()
                .map(Node::name)
                .filter(each -> opens(each) && !each.equals(cycle.back()))
                .anyMatch(each -> reaches(cycle.back(), each) && reaches(each, cycle.name()));
    }

    private boolean reaches(String from, String to) {
        return from.equals(to) || from(from).stream().anyMatch(way -> reaches(way.to(), to));
    }

    Graph render() {
        GraphBuilder graph = Graph.named(name);
        for (Node node : nodes) {
            switch (node.kind()) {
                case TRIGGER -> graph.trigger(node.name());
                case WORKER -> graph.worker(node.name(), WORKER, input(node), retry(node.fate()));
                case HOOK -> graph.hook(node.name());
                case SIGNAL -> graph.hook(node.name(), node.name(), null, node.takes());
                case TASK -> graph.task(node.name(), NodeAsk.group("people"));
                case AWAIT -> graph.await(node.name(), CHILD, input(node));
                case CYCLE -> graph.cycle(node.name(), node.back());
            }
            if (node.join()) {
                graph.join(node.name());
            }
        }
        for (Way way : ways) {
            if (way.onFailure()) {
                graph.onFailure(way.from(), way.to());
            } else if (way.when() == null) {
                graph.from(way.from(), way.to());
            } else {
                graph.when(way.from(), Objects.requireNonNull(way.when()).toString(), way.to());
            }
        }
        return graph.output(object(output, "")).build();
    }

    private static Retry retry(Fate fate) {
        return fate == Fate.GOOD || fate == Fate.SECOND_ATTEMPT
                ? Retry.DEFAULT.waiting(Duration.ofMillis(1), Duration.ofMillis(2))
                : Retry.NONE;
    }

    private static String input(Node node) {
        String depth = node.name() + ".n";
        return object(node.input(), node.counts() ? "'n': $exists(" + depth + ") ? " + depth + " + 1 : 0" : "");
    }

    private static String object(List<Ref> refs, String more) {
        List<String> fields = new ArrayList<>();
        refs.forEach(ref -> fields.add("'" + ref.key() + "': " + ref));
        if (!more.isEmpty()) {
            fields.add(more);
        }
        return "{" + String.join(", ", fields) + "}";
    }

    /** What the work at a node returns: some number that depends on all that it got. */
    static Map<String, Object> respond(String node, Map<String, ?> input) {
        int value = number(node + canonical(input));
        Object depth = input.get("n");
        return depth == null ? Map.of("v", value) : Map.of("v", value, "n", depth);
    }

    static boolean failsForGood(String node, Map<String, ?> input) {
        return respond(node, input).get("v") instanceof Integer value && value < 2;
    }

    static Map<String, Object> answer(String node) {
        return Map.of("v", number(node));
    }

    /** The same for a graph of another name. */
    private static int number(String text) {
        return Math.floorMod(PREFIX.matcher(text).replaceAll("").hashCode() * 31, 4);
    }

    /** What the n-th signal brings. Hooks in rounds may meet their signals in any order, so those are all the same. */
    static Map<String, Object> signal(boolean inRounds, int number) {
        return Map.of("who", inRounds ? "all" : "p" + number);
    }

    static String canonical(Map<String, ?> values) {
        return new TreeMap<>(values).toString();
    }
}
