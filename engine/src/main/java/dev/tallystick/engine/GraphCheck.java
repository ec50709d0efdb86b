package dev.tallystick.engine;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Finds what is wrong with a graph, and says of each thing what to do about it. */
final class GraphCheck {

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,99}");
    private static final int MAX_INCOMING = 62;

    private final List<GraphPlace> places;
    private final Map<String, GraphPlace> byName;
    private final Map<String, List<String>> incoming;
    private final List<String> problems = new ArrayList<>();

    private GraphCheck(List<GraphPlace> places) {
        this.places = places;
        this.byName = Graph.byName(places);
        this.incoming = Graph.incoming(places);
    }

    /** Later checks need what the earlier ones assure, so a graph that fails some of them is not looked at further. */
    static List<String> problems(String name, int version, List<GraphPlace> places) {
        GraphCheck check = new GraphCheck(places);
        check.names(name, version);
        check.trigger();
        check.transitions();
        check.tasks();
        if (check.problems.isEmpty()) {
            check.loops();
        }
        if (check.problems.isEmpty()) {
            check.reachable();
            check.joins();
        }
        if (check.problems.isEmpty()) {
            check.dimensions(new GraphShape(places));
        }
        return check.problems;
    }

    private void names(String graph, int version) {
        WorkflowType.checkName(graph).ifPresent(problems::add);
        if (version < 1) {
            problems.add("versions are counted from 1, got " + version);
        }
        Set<String> seen = new HashSet<>();
        for (GraphPlace place : places) {
            String name = place.name();
            if (!NAME.matcher(name).matches()) {
                problems.add("node '" + name
                        + "': a name has letters, digits and '_', begins with no digit, and has at most 100 of them");
            }
            if (name.equals(GraphContext.INPUT)) {
                problems.add("node 'input': expressions know the job's input by this name; choose another one");
            }
            if (!seen.add(name)) {
                problems.add("node '" + name + "' is declared twice: rename one of them");
            }
        }
    }

    private void trigger() {
        List<String> triggers = places.stream()
                .filter(place -> place.node() instanceof GraphNode.Trigger)
                .map(GraphPlace::name)
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
        for (GraphPlace place : places) {
            Set<String> targets = new HashSet<>();
            for (GraphPlace.Transition transition : place.next()) {
                if (!byName.containsKey(transition.to())) {
                    problems.add("node '" + place.name() + "' leads to '" + transition.to()
                            + "', which is no node: declare it, or correct the name; there are " + byName.keySet());
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
            if (place.handlesFailure() && !fails(place.node())) {
                problems.add("node '" + place.name() + "': a " + place.node().kind()
                        + " does not fail; remove its transitions on failure");
            }
            if (place.node() instanceof GraphNode.Cycle cycle && !byName.containsKey(cycle.back())) {
                problems.add("node '" + place.name() + "' goes back to '" + cycle.back()
                        + "', which is no node: correct the name; there are " + byName.keySet());
            }
        }
    }

    private static boolean ends(GraphNode node) {
        return node instanceof GraphNode.Cycle || node instanceof GraphNode.Interrupt;
    }

    private static boolean fails(GraphNode node) {
        return node instanceof GraphNode.Worker || node instanceof GraphNode.Await || node instanceof GraphNode.Signal;
    }

    private void tasks() {
        for (GraphPlace place : places) {
            if (!(place.node() instanceof GraphNode.Hook hook) || hook.task() == null) {
                continue;
            }
            String asks = "node '" + hook.name() + "' asks people";
            if (hook.signal() != null) {
                problems.add(asks + ", and waits for the signal '" + hook.signal()
                        + "': their answer is what it waits for; remove the signal, or make another hook of it");
            }
            if (hook.takes() != 1) {
                problems.add(asks + ", and a task is answered once: remove 'takes', or ask in a cycle");
            }
            if (hook.timer() != null && hook.timer().compareTo(hook.task().untilLast()) <= 0) {
                problems.add(asks + ", and would give up after " + hook.timer()
                        + ", before its last escalation: be more patient, or escalate sooner");
            }
        }
    }

    private void loops() {
        Set<String> done = new HashSet<>();
        for (String name : byName.keySet()) {
            findLoop(name, new LinkedHashSet<>(), done);
        }
    }

    private void findLoop(String name, Set<String> way, Set<String> done) {
        if (way.contains(name)) {
            List<String> loop = new ArrayList<>(way);
            loop.subList(0, loop.indexOf(name)).clear();
            problems.add("nodes " + loop + " lead back to '" + name
                    + "' by transitions alone: lead to a cycle node instead, and let that go back to '" + name + "'");
            return;
        }
        if (done.contains(name)) {
            return;
        }
        way.add(name);
        place(name).next().forEach(transition -> findLoop(transition.to(), way, done));
        way.remove(name);
        done.add(name);
    }

    private void reachable() {
        Set<String> reached = new HashSet<>();
        places.stream()
                .filter(place -> place.node() instanceof GraphNode.Trigger)
                .forEach(trigger -> reach(trigger.name(), reached));
        byName.keySet().stream()
                .filter(name -> !reached.contains(name))
                .forEach(name -> problems.add(
                        "node '" + name + "' is never reached: lead to it from another node, or remove it"));
    }

    private void reach(String name, Set<String> reached) {
        if (reached.add(name)) {
            place(name).next().forEach(transition -> reach(transition.to(), reached));
        }
    }

    private void joins() {
        for (GraphPlace place : places) {
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

    private void dimensions(GraphShape shape) {
        for (GraphPlace place : places) {
            if (place.node() instanceof GraphNode.Cycle cycle) {
                cycle(shape, cycle);
            }
            if (place.join()) {
                joinOutside(shape, place.name());
            }
        }
    }

    private void cycle(GraphShape shape, GraphNode.Cycle cycle) {
        GraphNode back = place(cycle.back()).node();
        boolean possible =
                back instanceof GraphNode.Worker || (back instanceof GraphNode.Hook hook && hook.takes() == 1);
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

    /** A join outside a loop must hear of the loop once: when it ends, not whenever it goes round. */
    private void joinOutside(GraphShape shape, String join) {
        for (String opener : shape.openers()) {
            if (!shape.reaches(opener, join) || shape.dominates(opener, join)) {
                continue;
            }
            if (place(opener).node() instanceof GraphNode.Hook hook && hook.takes() > 1) {
                problems.add("node '" + join + "' would be reached once for each signal of hook '" + opener
                        + "', and joins other branches only once: join inside what follows the hook");
            }
            for (String cycle : shape.cyclesTo(opener)) {
                List<String> deciders = incoming.getOrDefault(cycle, List.of());
                if (deciders.size() != 1 || shape.reachesAvoiding(opener, join, deciders.getFirst())) {
                    problems.add("node '" + join + "' joins the loop of '" + opener
                            + "' with what is outside: the one node that leads to the cycle '" + cycle
                            + "' must also be where the loop is left");
                }
            }
        }
    }

    private GraphPlace place(String name) {
        GraphPlace place = byName.get(name);
        if (place == null) {
            throw new IllegalStateException("no node '" + name + "'");
        }
        return place;
    }
}
