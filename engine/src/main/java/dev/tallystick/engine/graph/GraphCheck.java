package dev.tallystick.engine.graph;

import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.WorkflowType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds the problems of a graph, each with a fix. */
final class GraphCheck {

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,99}");
    private static final int MAX_INCOMING = 62;

    /** The reads and writes of a job grow with the nodes of its graph. */
    static final int MAX_NODES = 1_000;

    private final List<PlacedNode> places;
    private final Map<String, PlacedNode> byName;
    private final Map<String, List<String>> incoming;
    private final List<String> problems = new ArrayList<>();

    private GraphCheck(List<PlacedNode> places) {
        this.places = places;
        this.byName = Graph.byName(places);
        this.incoming = Graph.incoming(places);
    }

    /** Later checks need what the earlier ones assure, so a graph that fails some of them is not looked at further. */
    static List<String> problems(String name, int version, List<PlacedNode> places, @Nullable GraphLimit limit) {
        if (places.size() > MAX_NODES) {
            return List.of("there are " + places.size() + " nodes, at most " + MAX_NODES
                    + " are possible: draw parts of it as workflows of their own, and await them");
        }
        GraphCheck check = new GraphCheck(places);
        check.names(name, version);
        check.trigger();
        check.transitions();
        check.hooks();
        if (limit != null) {
            check.problems.addAll(limit.problems(name, places));
        }
        if (check.problems.isEmpty()) {
            check.loops();
        }
        if (check.problems.isEmpty()) {
            check.reachable();
            check.joins();
        }
        if (check.problems.isEmpty()) {
            check.cycles(new GraphShape(places));
        }
        return check.problems;
    }

    private void names(String graph, int version) {
        WorkflowType.checkName(graph).ifPresent(problems::add);
        if (version < 1) {
            problems.add("versions are counted from 1, got " + version);
        }
        Set<String> seen = new HashSet<>();
        for (PlacedNode place : places) {
            String name = place.name();
            if (!NAME.matcher(name).matches()) {
                problems.add("node '" + name
                        + "': a name has letters, digits and '_', begins with no digit, and has at most 100 of them");
            }
            if (name.equals(GraphContext.INPUT)) {
                problems.add("node 'input': expressions know the job's input by this name; choose another one");
            }
            if (!name.equals(GraphContext.INPUT) && NAME.matcher(name).matches() && !isReference(name)) {
                problems.add("node '" + name + "': in expressions this is a word of its own; choose another name");
            }
            if (!seen.add(name)) {
                problems.add("node '" + name + "' is declared twice: rename one of them");
            }
        }
    }

    /** Whether the name, read as an expression, evaluates to the value under that name. */
    private static boolean isReference(String name) {
        try {
            return name.equals(Expression.of(name).evaluate(Map.of(name, name)));
        } catch (ExpressionException e) {
            return false;
        }
    }

    private void trigger() {
        List<String> triggers = places.stream()
                .filter(place -> place.node() instanceof Node.Trigger)
                .map(PlacedNode::name)
                .toList();
        if (triggers.size() != 1) {
            problems.add(
                    triggers.isEmpty()
                            ? "there is no trigger: declare the node where jobs begin"
                            : "there are several triggers, " + triggers + ": a job begins at one of them; keep that");
        }
        triggers.stream()
                .filter(incoming::containsKey)
                .forEach(trigger -> problems.add("node '" + trigger + "' is the trigger, and " + incoming.get(trigger)
                        + " lead to it: to go back, use a cycle node"));
    }

    private void transitions() {
        for (PlacedNode place : places) {
            Set<String> targets = new HashSet<>();
            for (PlacedNode.Transition transition : place.next()) {
                if (!byName.containsKey(transition.to())) {
                    problems.add("node '" + place.name() + "' leads to '" + transition.to()
                            + "', which is not a node: declare it, or correct the name; there are " + byName.keySet());
                }
                if (!targets.add(transition.to())) {
                    problems.add("node '" + place.name() + "' leads to '" + transition.to()
                            + "' twice: make one transition of them and join the conditions with 'or'");
                }
            }
            if (ends(place.node()) && !place.next().isEmpty()) {
                problems.add("node '" + place.name() + "': nothing follows a "
                        + place.node().kind() + "; remove its transitions");
            }
            if (place.node() instanceof Node.Interrupt interrupt && interrupt.outcome() == JobOutcome.CONTINUED) {
                problems.add("node '" + place.name()
                        + "' ends the job, and so cannot continue it as another: let it be completed, failed, cancelled"
                        + " or timed_out");
            }
            if (place.handlesFailure() && !fails(place.node())) {
                problems.add("node '" + place.name() + "': a " + place.node().kind()
                        + " does not fail; remove its transitions on failure");
            }
            if (place.node() instanceof Node.Cycle cycle && !byName.containsKey(cycle.back())) {
                problems.add("node '" + place.name() + "' goes back to '" + cycle.back()
                        + "', which is not a node: correct the name; there are " + byName.keySet());
            }
        }
    }

    private static boolean ends(Node node) {
        return node instanceof Node.Cycle || node instanceof Node.Interrupt;
    }

    private static boolean fails(Node node) {
        return node instanceof Node.Worker || node instanceof Node.Await || node instanceof Node.Signal;
    }

    private void hooks() {
        for (PlacedNode place : places) {
            if (place.node() instanceof Node.Hook hook) {
                NodeAsk ask = hook.task();
                if (ask != null) {
                    task(hook, ask);
                } else if (hook.takes() > 1 && hook.signal() == null) {
                    problems.add("node '" + hook.name() + "' takes " + hook.takes()
                            + " signals, and names none: name the signal, or remove 'takes'");
                }
            }
        }
    }

    private void task(Node.Hook hook, NodeAsk ask) {
        String asks = "node '" + hook.name() + "' asks people";
        if (hook.signal() != null) {
            problems.add(asks + ", and waits for the signal '" + hook.signal()
                    + "': their answer is what it waits for; remove the signal, or make another hook of it");
        }
        if (hook.takes() != 1) {
            problems.add(asks + ", and a task is answered once: remove 'takes', or ask in a cycle");
        }
        if (hook.timer() != null && hook.timer().compareTo(ask.untilLast()) <= 0) {
            problems.add(asks + ", and would give up after " + hook.timer()
                    + ", before its last escalation: be more patient, or escalate sooner");
        }
    }

    private void loops() {
        Set<String> done = new HashSet<>();
        for (String name : byName.keySet()) {
            findLoop(name, done);
        }
    }

    /** A node on the current path, and its transitions still to follow. */
    private record Step(String name, Iterator<PlacedNode.Transition> next) {}

    private void findLoop(String begin, Set<String> done) {
        Map<String, Step> way = new LinkedHashMap<>();
        Deque<Step> steps = new ArrayDeque<>();
        String entered = begin;
        while (entered != null || !steps.isEmpty()) {
            if (entered != null && done.add(entered)) {
                Step step = new Step(entered, place(entered).next().iterator());
                way.put(entered, step);
                steps.push(step);
            } else if (entered != null && way.containsKey(entered)) {
                loop(List.copyOf(way.keySet()), entered);
            }
            Step last = steps.peek();
            if (last != null && !last.next().hasNext()) {
                way.remove(steps.pop().name());
            }
            entered = last != null && last.next().hasNext() ? last.next().next().to() : null;
        }
    }

    private void loop(List<String> way, String name) {
        problems.add("nodes " + way.subList(way.indexOf(name), way.size()) + " lead back to '" + name
                + "' by transitions alone: lead to a cycle node instead, and let that go back to '" + name + "'");
    }

    private void reachable() {
        Set<String> reached = new HashSet<>();
        Deque<PlacedNode> open = new ArrayDeque<>();
        places.stream().filter(place -> place.node() instanceof Node.Trigger).forEach(open::push);
        while (!open.isEmpty()) {
            PlacedNode place = open.pop();
            if (reached.add(place.name())) {
                place.next().forEach(transition -> open.push(place(transition.to())));
            }
        }
        byName.keySet().stream()
                .filter(name -> !reached.contains(name))
                .forEach(name -> problems.add(
                        "node '" + name + "' is never reached: lead to it from another node, or remove it"));
    }

    private void joins() {
        for (PlacedNode place : places) {
            List<String> from = incoming.getOrDefault(place.name(), List.of());
            if (from.size() > 1 && !place.join()) {
                problems.add("node '" + place.name() + "' is reached from " + from
                        + ": say that it joins them (join: all); a branch that is not taken counts as arrived");
            }
            if (from.size() < 2 && place.join()) {
                problems.add("node '" + place.name() + "' joins, and there is nothing to join: "
                        + (from.isEmpty() ? "nothing leads" : "only '" + from.getFirst() + "' leads")
                        + " to it; remove the join, or lead the other branches here");
            }
            if (from.size() > MAX_INCOMING) {
                problems.add("node '" + place.name() + "' joins " + from.size() + " branches, at most " + MAX_INCOMING
                        + " are possible: join them in groups");
            }
        }
    }

    private void cycles(GraphShape shape) {
        for (PlacedNode place : places) {
            if (place.node() instanceof Node.Cycle cycle) {
                cycle(shape, cycle);
            }
        }
    }

    private void cycle(GraphShape shape, Node.Cycle cycle) {
        Node back = place(cycle.back()).node();
        boolean possible = back instanceof Node.Worker || (back instanceof Node.Hook hook && hook.takes() == 1);
        if (!possible) {
            problems.add("node '" + cycle.name() + "' goes back to the " + back.kind() + " '" + back.name()
                    + "': only a worker, or a hook that takes one signal at most, can be entered again;"
                    + " put a hook that waits for nothing before it");
        } else if (!shape.dominates(back.name(), cycle.name())) {
            problems.add(
                    "node '" + cycle.name() + "' goes back to '" + back.name()
                            + "', and can be reached without passing it: every way to a cycle leads through where it goes back to");
        }
    }

    private PlacedNode place(String name) {
        PlacedNode place = byName.get(name);
        if (place == null) {
            throw new IllegalStateException("no node '" + name + "'");
        }
        return place;
    }
}
