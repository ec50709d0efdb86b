package dev.tallystick.engine.graph;

import com.dashjoin.jsonata.JException;
import com.dashjoin.jsonata.Jsonata;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * A JSONata expression over the data of a job: {@code input} is the job's input, and each node that has run appears under its
 * own name, with its output. An expression reads nothing else, writes nothing, and is stopped when it exceeds
 * {@link ExpressionBounds}, so it can harm only its own job. Thread-safe. Equal if the source is.
 */
public final class Expression {

    /** The library calls the evaluation callbacks by names with this prefix; an expression could rebind them. */
    private static final String WATCHERS = "__evaluate";

    private final String source;
    private final Duration longest;

    /** A compiled expression serves one thread at a time. This holds as many as were ever evaluated at once. */
    private final Queue<Compiled> idle = new ConcurrentLinkedQueue<>();

    private record Compiled(Jsonata expression, ExpressionBounds bounds) {}

    private Expression(String source, Duration longest) {
        this.source = source;
        this.longest = longest;
    }

    /** Parses an expression; refuses invalid JSONata with the reason. */
    public static Expression of(String source) {
        return of(source, ExpressionBounds.LONGEST);
    }

    static Expression of(String source, Duration longest) {
        if (source.contains(WATCHERS)) {
            throw new ExpressionException("'" + source + "': names with " + WATCHERS + " are reserved", null);
        }
        Expression read = new Expression(source, longest);
        read.idle.add(read.compile());
        return read;
    }

    public String source() {
        return source;
    }

    /** The value, or null if there is none. This runs user code: call it only where it may take its time. */
    @Nullable
    public Object evaluate(Map<String, ?> context) {
        Compiled free = idle.poll();
        Compiled mine = free == null ? compile() : free;
        try {
            return mine.expression().evaluate(context, mine.bounds().begin(mine.expression(), context));
        } catch (OutOfMemoryError | StackOverflowError e) {
            throw new ExpressionException(
                    "'" + source + "' cannot be evaluated: it takes more memory than there is", e);
        } catch (RuntimeException | Error e) {
            throw new ExpressionException("'" + source + "' cannot be evaluated: " + e.getMessage(), e);
        } finally {
            mine.bounds().end();
            idle.add(mine);
        }
    }

    /** Whether the value counts as true in JSONata: neither nothing, nor false, 0, "", [] or {}. */
    public boolean holds(Map<String, ?> context) {
        return Jsonata.boolize(evaluate(context));
    }

    private Compiled compile() {
        try {
            Jsonata compiled = Jsonata.jsonata(source);
            ExpressionBounds bounds = new ExpressionBounds(source, longest);
            LinearPattern.replaceIn(compiled, bounds);
            return new Compiled(compiled, bounds);
        } catch (RuntimeException | StackOverflowError e) {
            boolean isKnown = e instanceof JException || e instanceof ExpressionException;
            String reason = isKnown ? e.getMessage() : e.toString();
            throw new ExpressionException("'" + source + "' is not a valid JSONata expression: " + reason, e);
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Expression that && that.source.equals(source);
    }

    @Override
    public int hashCode() {
        return source.hashCode();
    }

    @Override
    public String toString() {
        return source;
    }
}
