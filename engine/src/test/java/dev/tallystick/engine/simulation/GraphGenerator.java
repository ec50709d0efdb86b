package dev.tallystick.engine.simulation;

import dev.tallystick.engine.simulation.DrawnGraph.Condition;
import dev.tallystick.engine.simulation.DrawnGraph.Fate;
import dev.tallystick.engine.simulation.DrawnGraph.Kind;
import dev.tallystick.engine.simulation.DrawnGraph.Node;
import dev.tallystick.engine.simulation.DrawnGraph.Ref;
import dev.tallystick.engine.simulation.DrawnGraph.Way;
import dev.tallystick.testkit.Randomness;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Draws graphs at random, such that what a job does is the same in whatever order its branches run: inputs and conditions refer
 * to what lies on every way to them, above all to what opened their round.
 */
final class GraphGenerator {

    private static final int DEPTH = 2;

    private final Randomness random;
    private final String prefix;
    private final List<Node> nodes = new ArrayList<>();
    private final List<Way> ways = new ArrayList<>();
    private final List<Ref> output = new ArrayList<>();

    private enum Block {
        WORKER,
        SIGNAL,
        TASK,
        AWAIT,
        FAILURE,
        FORK,
        LOOP
    }

    private static final TreeMap<Block, Integer> INNERMOST =
            new TreeMap<>(Map.of(Block.WORKER, 5, Block.SIGNAL, 2, Block.TASK, 1, Block.AWAIT, 1));

    private static final TreeMap<Block, Integer> OUTER = new TreeMap<>(Map.of(
            Block.WORKER,
            3,
            Block.SIGNAL,
            3,
            Block.TASK,
            1,
            Block.AWAIT,
            1,
            Block.FAILURE,
            1,
            Block.FORK,
            3,
            Block.LOOP,
            2));

    /**
     * Where the drawing continues.
     *
     * @param refs what is known there
     * @param rounds how many loops lie around it
     * @param steady whether the last round is the same in whatever order rounds run side by side
     */
    private record Tail(String node, List<Ref> refs, int rounds, boolean steady) {

        Tail then(String next, Ref... more) {
            List<Ref> all = new ArrayList<>(refs);
            all.addAll(List.of(more));
            return new Tail(next, all, rounds, steady);
        }

        Tail inRound(boolean isSteady) {
            return new Tail(node, refs, rounds + 1, isSteady && rounds == 0);
        }
    }

    GraphGenerator(String name, Randomness random) {
        this.prefix = name;
        this.random = random;
    }

    DrawnGraph draw() {
        String trigger = add("t", Kind.TRIGGER, false, List.of(), Fate.GOOD);
        grow(new Tail(trigger, List.of(new Ref("input", "x", true)), 0, true), DEPTH, random.between(2, 4));
        if (random.chance(0.3)) {
            breakOne();
        }
        return new DrawnGraph(prefix, List.copyOf(nodes), List.copyOf(ways), List.copyOf(output));
    }

    private Tail grow(Tail from, int depth, int length) {
        Tail tail = from;
        for (int i = 0; i < length; i++) {
            tail = block(tail, null, depth);
        }
        return tail;
    }

    private Tail block(Tail at, @Nullable Condition when, int depth) {
        Block block = random.weighted(depth > 0 ? OUTER : INNERMOST);
        return switch (block) {
            case WORKER -> worker(at, when);
            case SIGNAL -> signal(at, when, random.between(1, 3));
            case TASK -> {
                String task = add("k", Kind.TASK, false, List.of(), Fate.GOOD);
                way(at.node(), task, when);
                yield at.then(task, new Ref(task, "answer.v", true));
            }
            case AWAIT -> {
                String child = add("a", Kind.AWAIT, false, some(at.refs()), Fate.GOOD);
                way(at.node(), child, when);
                yield at.then(child, new Ref(child, "v", true));
            }
            case FAILURE -> failure(at, when);
            case FORK -> fork(at, when, depth);
            case LOOP -> loop(at, when, depth);
        };
    }

    private Tail worker(Tail at, @Nullable Condition when) {
        String worker =
                add("w", Kind.WORKER, false, some(at.refs()), random.chance(0.15) ? Fate.SECOND_ATTEMPT : Fate.GOOD);
        way(at.node(), worker, when);
        Ref value = new Ref(worker, "v", true);
        if (at.rounds() == 0 || at.steady()) {
            output.add(value);
        }
        return at.then(worker, value);
    }

    private Tail signal(Tail at, @Nullable Condition when, int takes) {
        String hook = name("h");
        nodes.add(new Node(hook, Kind.SIGNAL, false, "", takes, List.of(), false, Fate.GOOD));
        way(at.node(), hook, when);
        Tail told = at.then(hook, new Ref(hook, "round", true), new Ref(hook, "signal.who", false));
        return takes > 1 ? told.inRound(true) : told;
    }

    private Tail failure(Tail at, @Nullable Condition when) {
        String fragile = add("f", Kind.WORKER, false, some(at.refs()), Fate.HANDLED);
        way(at.node(), fragile, when);
        Ref value = new Ref(fragile, "v", true);
        String good = add("w", Kind.WORKER, false, some(at.then("", value).refs()), Fate.GOOD);
        String sorry = add("w", Kind.WORKER, false, some(at.refs()), Fate.GOOD);
        way(fragile, good, null);
        ways.add(new Way(fragile, sorry, null, true));
        return join(at, List.of(at.then(good, new Ref(good, "v", true)), at.then(sorry, new Ref(sorry, "v", true))));
    }

    private Tail fork(Tail at, @Nullable Condition when, int depth) {
        Tail begin = when == null && random.chance(0.5) ? at : worker(at, when);
        List<Tail> ends = new ArrayList<>();
        int branches = random.between(2, 3);
        for (int i = 0; i < branches; i++) {
            Condition chosen = random.chance(0.4) ? condition(begin.refs()) : null;
            Tail branch = random.chance(0.5) ? loop(begin, chosen, depth - 1) : worker(begin, chosen);
            ends.add(grow(branch, depth - 1, random.between(0, 1)));
        }
        return join(begin, ends);
    }

    private Tail join(Tail begin, List<Tail> ends) {
        List<Ref> known = new ArrayList<>(some(begin.refs()));
        for (Tail end : ends) {
            if (end.rounds() == begin.rounds() || (begin.rounds() == 0 && end.steady())) {
                end.refs().stream().filter(ref -> ref.node().equals(end.node())).forEach(known::add);
            }
        }
        String join = add("j", Kind.WORKER, true, known, Fate.GOOD);
        for (Tail end : ends) {
            List<Ref> own = end.refs().stream()
                    .filter(ref -> ref.node().equals(end.node()))
                    .toList();
            boolean may = ways.stream().noneMatch(way -> way.from().equals(end.node()) && way.when() != null);
            way(end.node(), join, may && random.chance(0.3) ? condition(own) : null);
        }
        Ref value = new Ref(join, "v", true);
        if (begin.rounds() == 0) {
            output.add(value);
        }
        return begin.then(join, value);
    }

    /** A loop that is left where it is decided upon or behind that, and that may be left in a round that it also repeats. */
    private Tail loop(Tail at, @Nullable Condition when, int depth) {
        boolean counts = random.chance(0.4);
        String opener = name(counts ? "c" : "o");
        int index = nodes.size();
        nodes.add(new Node(opener, Kind.HOOK, false, "", 1, List.of(), false, Fate.GOOD));
        way(at.node(), opener, when);
        Ref depthOfRound = new Ref(opener, counts ? "n" : "round", true);
        Tail told = counts ? at.then(opener, depthOfRound, new Ref(opener, "v", true)) : at.then(opener, depthOfRound);
        Tail body = grow(told.inRound(!counts), depth - 1, random.between(0, 2));
        int rounds = random.between(1, 2);
        int deciders = random.between(1, 2);
        Tail tail = body;
        List<Ref> knownToAll = List.of();
        Condition left = null;
        for (int i = 0; i < deciders; i++) {
            boolean bySignals = counts && random.chance(0.4);
            Tail decider = bySignals ? signal(tail, left, random.between(2, 3)) : worker(tail, left);
            knownToAll = i == 0 ? decider.refs() : knownToAll;
            String cycle = name("r");
            nodes.add(new Node(cycle, Kind.CYCLE, false, opener, 1, List.of(), false, Fate.GOOD));
            Condition again = new Condition(depthOfRound, true, i == 0 ? rounds : 1);
            way(decider.node(), cycle, again);
            left = random.chance(0.5) ? null : again.negated();
            tail = decider;
        }
        if (counts) {
            List<Ref> input = new ArrayList<>(some(at.refs()));
            knownToAll.stream().filter(ref -> !at.refs().contains(ref)).forEach(input::add);
            input.removeIf(ref -> ref.node().equals(opener));
            Fate fate = random.chance(0.3) ? Fate.SECOND_ATTEMPT : Fate.GOOD;
            nodes.set(index, new Node(opener, Kind.WORKER, false, "", 1, input, true, fate));
        }
        return worker(tail, left);
    }

    private void breakOne() {
        List<Integer> able = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            Node node = nodes.get(i);
            if (node.kind() == Kind.WORKER && node.fate() == Fate.GOOD && !node.counts()) {
                able.add(i);
            }
        }
        if (!able.isEmpty()) {
            int chosen = random.oneOf(able);
            Node node = nodes.get(chosen);
            nodes.set(
                    chosen, new Node(node.name(), node.kind(), node.join(), "", 1, node.input(), false, Fate.FRAGILE));
        }
    }

    private @Nullable Condition condition(List<Ref> refs) {
        List<Ref> numbers = refs.stream().filter(Ref::isNumber).toList();
        return numbers.isEmpty()
                ? null
                : new Condition(random.oneOf(numbers), random.chance(0.5), random.between(1, 2));
    }

    /** What is nearest is what a round brought, most likely. */
    private List<Ref> some(List<Ref> refs) {
        List<Ref> chosen = new ArrayList<>();
        for (int i = 0; i < refs.size(); i++) {
            if (random.chance(i >= refs.size() - 4 ? 0.8 : 0.2)) {
                chosen.add(refs.get(i));
            }
        }
        return chosen;
    }

    private String add(String letter, Kind kind, boolean join, List<Ref> input, Fate fate) {
        String name = name(letter);
        nodes.add(new Node(name, kind, join, "", 1, input, false, fate));
        return name;
    }

    private void way(String from, String to, @Nullable Condition when) {
        ways.add(new Way(from, to, when, false));
    }

    private String name(String letter) {
        return prefix + letter + nodes.size();
    }
}
