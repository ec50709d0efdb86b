package dev.tallystick.engine.graph;

import com.dashjoin.jsonata.Jsonata;
import com.dashjoin.jsonata.Parser;
import com.dashjoin.jsonata.Utils.RangeList;
import dev.tallystick.workflow.Payloads;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Limits on one evaluation of an expression: processor time, depth, text and elements. They are checked between the parts of the
 * expression, after each function and within patterns; {@link ExpressionFunctions} make sure that no function of the library
 * takes long by itself. For one evaluation at a time.
 *
 * <p>The library runs through a value without asking anyone: it flattens lists, compares, copies and prints. So every value that
 * a part returns is weighed with all that it holds, counting what it holds twice as two. A few lists that hold each other may
 * stand for more elements than fit in memory.
 */
final class ExpressionBounds {

    /** The longest evaluation, in CPU time, so that no job fails because the machine is busy. */
    static final Duration LONGEST = Duration.ofMillis(500);

    static final int MAX_DEPTH = 200;

    /** The longest text, intermediate ones included. */
    static final int MAX_TEXT = 4 * Payloads.MAX_BYTES;

    /** The longest list that a payload can hold. */
    static final int MAX_LIST = Payloads.MAX_BYTES / 2;

    /** What an evaluation may make in all, what a value of it may weigh, and what the steps of a path may return together. */
    static final int MAX_ELEMENTS = 4 * MAX_LIST;

    /** Paths with {@code @}, {@code #} or {@code %} keep a map for each element, and copy a list for each element of a group. */
    private static final int MAX_ELEMENTS_WITH_BINDINGS = 1 << 16;

    /** How many elements {@code *} may copy; the library copies all that it has found for each list that it finds. */
    private static final long MAX_COPIES = 200_000_000;

    /** Elements that a list or a map takes the place of, besides its own. */
    private static final int CONTAINER = 4;

    /** Shorter texts are cheaper than the part of the expression that makes them. */
    private static final int LONG_TEXT = 64;

    /** To ask the processor costs more than most parts of an expression. */
    private static final int PARTS = 1 << 5;

    /** The same for elements of a value. */
    private static final int ELEMENTS = 1 << 12;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final Field TYPE = LinearPattern.opened(Parser.Symbol.class, "type");

    private static final ThreadLocal<ExpressionBounds> CURRENT = new ThreadLocal<>();

    /** Shared by all expressions, because they weigh a hundred times more than one. */
    private static final ExpressionFunctions FUNCTIONS =
            new ExpressionFunctions(() -> Objects.requireNonNull(CURRENT.get(), "nothing is evaluated on this thread"));

    /** A transform, such as {@code |a|b|}, changes what was weighed before. */
    private final boolean mayChangeValues;

    private final Duration longest;
    private final long[] collected = new long[MAX_DEPTH + 1];
    private final int[] mostCollected = new int[MAX_DEPTH + 1];
    private IdentityHashMap<Object, Long> weights = new IdentityHashMap<>();
    private long heaviest;
    private long created;
    private long deadline;
    private int depth;
    private int parts;
    private int weighed;

    /** An expression exceeded a limit. */
    static final class Exceeded extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Exceeded(String message) {
            super(message);
        }
    }

    ExpressionBounds(String source, Duration longest) {
        this.mayChangeValues = source.contains("|");
        this.longest = longest;
    }

    /** A frame for one evaluation over this context, which begins now, on this thread. */
    Jsonata.Frame begin(Jsonata compiled, Object context) {
        deadline = now() + longest.toNanos();
        depth = 0;
        collected[0] = 0;
        mostCollected[0] = MAX_ELEMENTS;
        weights = new IdentityHashMap<>();
        heaviest = Long.MAX_VALUE;
        created = Long.MIN_VALUE;
        heaviest = weigh(context) + MAX_ELEMENTS;
        created = 0;
        Jsonata.Frame frame = compiled.createFrame();
        frame.setEvaluateEntryCallback((expression, input, environment) -> enter(expression, input));
        frame.setEvaluateExitCallback((expression, input, environment, result) -> leave(expression, result));
        FUNCTIONS.bindTo(frame);
        CURRENT.set(this);
        return frame;
    }

    /** Forgets the values of the evaluation. */
    void end() {
        CURRENT.remove();
        weights = new IdentityHashMap<>();
    }

    void demandTime() {
        if (now() - deadline > 0) {
            throw new Exceeded("it takes longer than " + longest.toMillis() + " ms");
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new Exceeded("the engine stopped waiting for it");
        }
    }

    static void demandText(double length) {
        if (length > MAX_TEXT) {
            throw new Exceeded("a text of it is longer than %,d characters".formatted(MAX_TEXT));
        }
    }

    static void demandList(double size) {
        if (size > MAX_LIST) {
            throw new Exceeded("a list of it is longer than %,d elements".formatted(MAX_LIST));
        }
    }

    /** Counts what is about to be made. */
    void create(long elements) {
        created += elements;
        if (created > MAX_ELEMENTS) {
            throw new Exceeded("it makes more than %,d elements".formatted(MAX_ELEMENTS));
        }
    }

    private void enter(Parser.Symbol expression, @Nullable Object input) {
        if (++depth > MAX_DEPTH) {
            throw new Exceeded("it goes deeper than " + MAX_DEPTH);
        }
        collected[depth] = 0;
        mostCollected[depth] = MAX_ELEMENTS;
        takePart();
        if ("wildcard".equals(LinearPattern.read(TYPE, expression))) {
            demandFewCopies(input);
        }
    }

    private void leave(Parser.Symbol expression, @Nullable Object result) {
        look(result);
        depth--;
        if (expression.tuple != null) {
            mostCollected[depth] = MAX_ELEMENTS_WITH_BINDINGS;
        }
        if (result instanceof List<?> list) {
            collected[depth] += list.size();
            if (collected[depth] > mostCollected[depth]) {
                throw new Exceeded("the parts of it return more than %,d elements".formatted(mostCollected[depth]));
            }
        }
    }

    void takePart() {
        if (++parts % PARTS == 0) {
            demandTime();
        }
    }

    /** Looks at what a part or a function returns. */
    void look(@Nullable Object result) {
        switch (result) {
            case String text -> {
                demandText(text.length());
                long unused = weigh(text);
            }
            case List<?> list -> {
                demandList(list.size());
                long unused = weigh(list);
            }
            case Map<?, ?> map -> {
                long unused = weigh(map);
            }
            case Pattern unbounded -> throw new Exceeded("the pattern /" + unbounded + "/ is not bounded");
            case null, default -> {}
        }
    }

    private long weigh(@Nullable Object value) {
        return switch (value) {
            case String text
            when text.length() >= LONG_TEXT -> {
                if (weights.put(text, 0L) == null) {
                    create(text.length() / 16);
                }
                yield 1 + text.length() / 2;
            }
            case RangeList range -> demandLight(CONTAINER + range.size());
            case List<?> list -> weigh(list, list, List.of());
            case Map<?, ?> map -> weigh(map, map.values(), map.keySet());
            case null, default -> 1;
        };
    }

    private long weigh(Object container, Collection<?> elements, Collection<?> keys) {
        Long known = weights.get(container);
        if (known != null && !mayChangeValues) {
            return demandLight(known);
        }
        if (known == null) {
            create(CONTAINER + elements.size() + keys.size());
        }
        long weight = CONTAINER;
        for (Collection<?> each : List.of(elements, keys)) {
            for (Object element : each) {
                weight = demandLight(weight + weigh(element));
                if (++weighed % ELEMENTS == 0) {
                    demandTime();
                }
            }
        }
        weights.put(container, weight);
        return weight;
    }

    private long demandLight(long weight) {
        if (weight > heaviest) {
            throw new Exceeded("a value of it holds more than %,d elements".formatted(MAX_ELEMENTS));
        }
        return weight;
    }

    private void demandFewCopies(@Nullable Object input) {
        Collection<?> elements = switch (input) {
            case List<?> list -> list;
            case Map<?, ?> map -> map.values();
            case null, default -> List.of();
        };
        long found = 0;
        long copied = 0;
        for (Object element : elements) {
            found += element instanceof List<?> list ? weigh(list) : 1;
            copied += element instanceof List<?> ? found : 0;
        }
        if (copied > MAX_COPIES) {
            throw new Exceeded("there are too many lists for *: name the field");
        }
    }

    private static long now() {
        return Thread.currentThread().isVirtual() || !THREADS.isCurrentThreadCpuTimeSupported()
                ? System.nanoTime()
                : THREADS.getCurrentThreadCpuTime();
    }
}
