package dev.tallystick.engine;

import com.dashjoin.jsonata.JException;
import com.dashjoin.jsonata.Jsonata;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * A JSONata expression over what a job holds: {@code input} is the input of the job, and each node that has run is there under
 * its own name, with its output. It reads nothing else and writes nothing, and is stopped when it takes more than
 * {@link ExpressionBounds} allow, so that an expression can do no harm but to its own job. Thread-safe. Equal if the source is.
 */
public final class Expression {

    /** Under these names the library calls what watches an evaluation; an expression could bind them to something else. */
    private static final String WATCHERS = "__evaluate";

    private final String source;

    /** What is compiled is for one thread at a time. There are as many as were ever evaluated at once. */
    private final Queue<Compiled> idle = new ConcurrentLinkedQueue<>();

    private record Compiled(Jsonata expression, ExpressionBounds bounds) {}

    private Expression(String source) {
        this.source = source;
    }

    /** Reads an expression; one that is no JSONata is refused with the reason. */
    public static Expression of(String source) {
        if (source.contains(WATCHERS)) {
            throw new ExpressionException("'" + source + "': names with " + WATCHERS + " are reserved", null);
        }
        Expression read = new Expression(source);
        read.idle.add(read.compile());
        return read;
    }

    public String source() {
        return source;
    }

    /** What it comes to; null if that is nothing. To be called where it may take its time: it is the user's code. */
    @Nullable
    Object evaluate(Map<String, ?> context) {
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

    /** Whether it comes to what JSONata takes for true: neither nothing, nor false, 0, "", [] or {}. */
    boolean holds(Map<String, ?> context) {
        return Jsonata.boolize(evaluate(context));
    }

    private Compiled compile() {
        try {
            Jsonata compiled = Jsonata.jsonata(source);
            ExpressionBounds bounds = new ExpressionBounds(source);
            LinearPattern.replaceIn(compiled, bounds);
            return new Compiled(compiled, bounds);
        } catch (RuntimeException | StackOverflowError e) {
            boolean isKnown = e instanceof JException || e instanceof ExpressionException;
            String reason = isKnown ? e.getMessage() : e.toString();
            throw new ExpressionException("'" + source + "' is no JSONata expression: " + reason, e);
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
