package dev.tallystick.engine;

import com.dashjoin.jsonata.JException;
import com.dashjoin.jsonata.Jsonata;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A JSONata expression over what a job holds: {@code input} is the input of the job, and each node that has run is there under
 * its own name, with its output. It reads nothing else and writes nothing, and is stopped when it takes more than
 * {@link ExpressionBounds} allow, so that an expression can do no harm but to its own job. Thread-safe. Equal if the source is.
 */
public final class Expression {

    private final String source;
    private final Jsonata compiled;
    private final ExpressionBounds bounds = new ExpressionBounds();

    /** A compiled expression is for one thread at a time. */
    private final ReentrantLock turn = new ReentrantLock();

    private Expression(String source, Jsonata compiled) {
        this.source = source;
        this.compiled = compiled;
    }

    /** Reads an expression; one that is no JSONata is refused with the reason. */
    public static Expression of(String source) {
        try {
            return new Expression(source, Jsonata.jsonata(source));
        } catch (JException | IndexOutOfBoundsException e) {
            throw new ExpressionException("'" + source + "' is no JSONata expression: " + e.getMessage(), e);
        }
    }

    public String source() {
        return source;
    }

    /** What it comes to; null if that is nothing. */
    @Nullable
    Object evaluate(Map<String, ?> context) {
        turn.lock();
        try {
            return compiled.evaluate(context, bounds.begin(compiled));
        } catch (OutOfMemoryError | StackOverflowError e) {
            throw new ExpressionException(
                    "'" + source + "' cannot be evaluated: it takes more memory than there is", e);
        } catch (RuntimeException e) {
            throw new ExpressionException("'" + source + "' cannot be evaluated: " + e.getMessage(), e);
        } finally {
            turn.unlock();
        }
    }

    /** Whether it comes to what JSONata takes for true: neither nothing, nor false, 0, "", [] or {}. */
    boolean holds(Map<String, ?> context) {
        return Jsonata.boolize(evaluate(context));
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
