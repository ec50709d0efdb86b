package dev.tallystick.engine;

import com.dashjoin.jsonata.Jsonata;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Limits one evaluation of an expression: CPU time, depth, text length and elements. They are checked between the parts of the
 * expression and within patterns; {@link ExpressionFunctions} ensures that no library function takes long by itself. For one
 * evaluation at a time.
 */
final class ExpressionBounds {

    /** CPU time, so that no job fails because the machine is busy. */
    static final Duration LONGEST = Duration.ofMillis(500);

    static final int MAX_DEPTH = 200;

    /** The longest text, intermediate ones included. */
    static final int MAX_TEXT = 4 * Payloads.MAX_BYTES;

    /** The longest list that a payload can hold. */
    static final int MAX_LIST = Payloads.MAX_BYTES / 2;

    /** Checks the CPU time once in this many parts: reading it costs more than evaluating most parts. */
    private static final int PARTS = 1 << 5;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final ExpressionFunctions functions = new ExpressionFunctions(this);
    private long deadline;
    private int depth;
    private int parts;

    /** An expression exceeded a limit. */
    static final class Exceeded extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Exceeded(String message) {
            super(message);
        }
    }

    /** Starts an evaluation on this thread and returns its frame. */
    Jsonata.Frame begin(Jsonata compiled) {
        deadline = now() + LONGEST.toNanos();
        depth = 0;
        Jsonata.Frame frame = compiled.createFrame();
        frame.setEvaluateEntryCallback((expression, input, environment) -> enter());
        frame.setEvaluateExitCallback((expression, input, environment, result) -> leave(result));
        functions.bindTo(frame);
        return frame;
    }

    void demandTime() {
        if (now() - deadline > 0) {
            throw new Exceeded("it takes longer than " + LONGEST.toMillis() + " ms");
        }
    }

    static void demandText(double length) {
        if (length > MAX_TEXT) {
            throw new Exceeded("a text of it is longer than %,d characters".formatted(MAX_TEXT));
        }
    }

    private void enter() {
        if (++depth > MAX_DEPTH) {
            throw new Exceeded("it goes deeper than " + MAX_DEPTH);
        }
        if (++parts % PARTS == 0) {
            demandTime();
        }
    }

    private void leave(@Nullable Object result) {
        depth--;
        switch (result) {
            case String text -> demandText(text.length());
            case List<?> list
            when list.size() > MAX_LIST ->
                throw new Exceeded("a list of it is longer than %,d elements".formatted(MAX_LIST));
            case Pattern unbounded -> throw new Exceeded("the pattern /" + unbounded + "/ is not bounded");
            case null, default -> {}
        }
    }

    private static long now() {
        return Thread.currentThread().isVirtual() || !THREADS.isCurrentThreadCpuTimeSupported()
                ? System.nanoTime()
                : THREADS.getCurrentThreadCpuTime();
    }
}
