package dev.tallystick.engine;

import com.dashjoin.jsonata.Functions;
import com.dashjoin.jsonata.Jsonata;
import com.dashjoin.jsonata.Jsonata.JFunction;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * What an evaluation of one expression may take: so much time, depth and text. The time is looked at between the parts of the
 * expression; functions that may take for ever by themselves look first at what they are given. Not so a pattern that is itself
 * called as a function, which the library does not let us see. For one evaluation at a time.
 */
final class ExpressionBounds {

    static final Duration LONGEST = Duration.ofMillis(500);
    static final int MAX_DEPTH = 200;

    /** No text is longer on its way to what is recorded. */
    static final int MAX_TEXT = 4 * Payloads.MAX_BYTES;

    private final List<Bound> functions = List.of(
            new Bound("match", new Guarded("match", "<s-f<s:o>n?:a<o>>", this::demandQuickMatch)),
            new Bound("contains", new Guarded("contains", "<s-(sf):b>", this::demandQuickMatch)),
            new Bound("split", new Guarded("split", "<s-(sf)n?:a<s>>", this::demandQuickMatch)),
            new Bound("replace", new Guarded("replace", "<s-(sf)(sf)n?:s>", this::demandQuickReplacement)),
            new Bound("pad", new Padding()));

    private long deadline;
    private int depth;

    private record Bound(String name, JFunction function) {}

    /** An expression took more than it may. */
    static final class Exceeded extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Exceeded(String message) {
            super(message);
        }
    }

    /** A frame for one evaluation, which begins now. */
    Jsonata.Frame begin(Jsonata compiled) {
        deadline = System.nanoTime() + LONGEST.toNanos();
        depth = 0;
        Jsonata.Frame frame = compiled.createFrame();
        frame.setEvaluateEntryCallback((expression, input, environment) -> enter());
        frame.setEvaluateExitCallback((expression, input, environment, result) -> leave(result));
        functions.forEach(each -> frame.bind(each.name(), each.function()));
        return frame;
    }

    private void enter() {
        if (++depth > MAX_DEPTH) {
            throw new Exceeded("it goes deeper than " + MAX_DEPTH);
        }
        demandTime(deadline);
    }

    private void leave(@Nullable Object result) {
        depth--;
        demandTime(deadline);
        if (result instanceof String text && text.length() > MAX_TEXT) {
            throw tooLong();
        }
    }

    private static void demandTime(long deadline) {
        if (System.nanoTime() - deadline > 0) {
            throw new Exceeded("it takes longer than " + LONGEST.toMillis() + " ms");
        }
    }

    private static Exceeded tooLong() {
        return new Exceeded("a text of it is longer than %,d characters".formatted(MAX_TEXT));
    }

    /** A function of the library that looks first at what it is given. */
    private static final class Guarded extends JFunction {

        private final Consumer<List<?>> look;

        Guarded(String name, String signature, Consumer<List<?>> look) {
            super(name, signature, Functions.class, null, name);
            this.look = look;
        }

        @Override
        @SuppressWarnings("rawtypes") // As the library has it.
        public @Nullable Object call(@Nullable Object input, List arguments) {
            look.accept(arguments);
            return super.call(input, arguments);
        }
    }

    /** What the library takes a minute for when it comes to a megabyte. */
    private static final class Padding extends JFunction {

        Padding() {
            super("pad", "<s-ns?:s>", Functions.class, null, "pad");
        }

        @Override
        @SuppressWarnings("rawtypes") // As the library has it.
        public @Nullable Object call(@Nullable Object input, List arguments) {
            return padded(arguments);
        }
    }

    private static @Nullable String padded(List<?> arguments) {
        if (!(at(arguments, 0) instanceof String text && at(arguments, 1) instanceof Number width)) {
            return null;
        }
        if (Math.abs(width.doubleValue()) > MAX_TEXT) {
            throw tooLong();
        }
        int missing = Math.abs(width.intValue()) - text.codePointCount(0, text.length());
        if (missing <= 0) {
            return text;
        }
        String filler = at(arguments, 2) instanceof String given && !given.isEmpty() ? given : " ";
        String more = filler.repeat(missing / filler.codePointCount(0, filler.length()) + 1);
        String padding = more.substring(0, more.offsetByCodePoints(0, missing));
        return width.intValue() < 0 ? padding + text : text + padding;
    }

    private void demandQuickMatch(List<?> arguments) {
        if (at(arguments, 0) instanceof String text && at(arguments, 1) instanceof Pattern pattern) {
            demandQuick(text, pattern);
        }
    }

    /** To replace a text a few times only, the library takes it for a pattern. */
    private void demandQuickReplacement(List<?> arguments) {
        demandQuickMatch(arguments);
        if (at(arguments, 0) instanceof String text
                && at(arguments, 1) instanceof String token
                && at(arguments, 3) != null) {
            try {
                demandQuick(text, Pattern.compile(token));
            } catch (PatternSyntaxException e) {
                // The library says what is wrong with it.
            }
        }
    }

    private static @Nullable Object at(List<?> arguments, int index) {
        return index < arguments.size() ? arguments.get(index) : null;
    }

    /** Half of the time that is left is for looking whether the pattern comes to an end, and so the other half is enough. */
    private void demandQuick(String text, Pattern pattern) {
        long now = System.nanoTime();
        Matcher matcher = pattern.matcher(new Watched(text, now + (deadline - now) / 2));
        while (matcher.find()) {
            demandTime(deadline);
        }
    }

    /** A text that cannot be read for ever: a pattern that goes back and forth reads it again and again. */
    private static final class Watched implements CharSequence {

        private static final int READS = 1 << 10;

        private final String text;
        private final long deadline;
        private int reads;

        Watched(String text, long deadline) {
            this.text = text;
            this.deadline = deadline;
        }

        @Override
        public char charAt(int index) {
            if (++reads % READS == 0) {
                demandTime(deadline);
            }
            return text.charAt(index);
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.substring(start, end);
        }

        @Override
        public String toString() {
            return text;
        }
    }
}
