package dev.tallystick.engine.graph;

import com.dashjoin.jsonata.Jsonata;
import com.dashjoin.jsonata.Jsonata.JFunction;
import com.dashjoin.jsonata.Parser;
import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A regular expression whose matching time is linear in the text (RE2). It also stops when the expression that contains it runs
 * out of time. In JSONata a pattern is a function that finds the first match in a text.
 *
 * <p>The library keeps {@code java.util.regex} patterns in its compiled expressions, where a pattern may run forever and cannot
 * be stopped. This class replaces them by reflection; an evaluation that still meets one of them fails.
 */
final class LinearPattern extends JFunction {

    /** The maximum size of a pattern with its repetitions written out. */
    static final int MAX_SIZE = 5_000;

    /** Elements that a match takes the place of, besides its groups. */
    static final int MATCH = 4;

    private static final List<Field> PARTS = partsOf(Parser.Symbol.class);
    private static final Field ROOT = opened(Jsonata.class, "ast");

    private final Pattern pattern;
    private final ExpressionBounds bounds;

    /** One match of the pattern. */
    record Match(int start, int end, String text, List<@Nullable String> groups) {

        Map<String, @Nullable Object> described() {
            Map<String, @Nullable Object> described = new LinkedHashMap<>();
            described.put("match", text);
            described.put("index", start);
            described.put("groups", groups);
            return described;
        }
    }

    private LinearPattern(Pattern pattern, ExpressionBounds bounds) {
        super((input, arguments) -> null, "<s-:o>");
        this.pattern = pattern;
        this.bounds = bounds;
    }

    /** Replaces the library's compiled patterns with linear ones. */
    static void replaceIn(Jsonata compiled, ExpressionBounds bounds) {
        Deque<Object> open = new ArrayDeque<>();
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        open.push(Objects.requireNonNull(read(ROOT, compiled), "a compiled expression has a root"));
        while (!open.isEmpty()) {
            switch (open.pop()) {
                case Parser.Symbol symbol
                when seen.add(symbol) -> {
                    for (Field part : PARTS) {
                        switch (read(part, symbol)) {
                            case java.util.regex.Pattern found -> write(part, symbol, of(found, bounds));
                            case null -> {}
                            case Object other -> open.push(other);
                        }
                    }
                }
                case List<?> list -> list.stream().filter(each -> each != null).forEach(open::push);
                case Object[] array -> open.push(List.of(array));
                default -> {}
            }
        }
    }

    private static LinearPattern of(java.util.regex.Pattern given, ExpressionBounds bounds) {
        boolean ignoresCase = (given.flags() & java.util.regex.Pattern.CASE_INSENSITIVE) != 0;
        boolean hasLines = (given.flags() & java.util.regex.Pattern.MULTILINE) != 0;
        int flags = (ignoresCase ? Pattern.CASE_INSENSITIVE : 0) | (hasLines ? Pattern.MULTILINE : 0);
        if (PatternSize.of(given.pattern()) > MAX_SIZE) {
            throw new ExpressionException(
                    "the pattern /" + given.pattern() + "/ is larger than " + MAX_SIZE
                            + " when its repetitions are written out",
                    null);
        }
        try {
            return new LinearPattern(Pattern.compile(given.pattern(), flags), bounds);
        } catch (PatternSyntaxException e) {
            throw new ExpressionException(
                    "the pattern /" + given.pattern() + "/ is refused (" + e.getDescription()
                            + "): patterns are those of RE2, without back-references and look-around",
                    e);
        }
    }

    /** A pattern called as a function returns its first match and a function that finds the next. */
    @Override
    @SuppressWarnings("rawtypes") // The library's signature.
    public @Nullable Object call(@Nullable Object input, List arguments) {
        return arguments.isEmpty() || !(arguments.getFirst() instanceof String text)
                ? null
                : described(matches(text, Integer.MAX_VALUE), 0);
    }

    private static @Nullable Map<String, Object> described(List<Match> matches, int index) {
        if (index >= matches.size()) {
            return null;
        }
        Match match = matches.get(index);
        Jsonata.Fn0<@Nullable Object> next = () -> described(matches, index + 1);
        return Map.of(
                "match",
                match.text(),
                "start",
                match.start(),
                "end",
                match.end(),
                "groups",
                match.groups(),
                "next",
                next);
    }

    boolean isIn(String text) {
        return matcher(text).find();
    }

    /** The first matches, from left to right. */
    List<Match> matches(String text, int most) {
        List<Match> found = new ArrayList<>();
        Matcher matcher = matcher(text);
        while (found.size() < most && matcher.find()) {
            List<@Nullable String> groups = new ArrayList<>(matcher.groupCount());
            for (int group = 1; group <= matcher.groupCount(); group++) {
                groups.add(matcher.group(group));
            }
            bounds.create(MATCH + groups.size());
            found.add(new Match(matcher.start(), matcher.end(), matcher.group(), groups));
            bounds.takePart();
        }
        return found;
    }

    private Matcher matcher(String text) {
        return pattern.matcher(new Watched(text, bounds));
    }

    /** A text that stops being readable when time is up. */
    private static final class Watched implements CharSequence {

        private static final int READS = 1 << 8;

        private final String text;
        private final ExpressionBounds bounds;
        private int reads;

        Watched(String text, ExpressionBounds bounds) {
            this.text = text;
            this.bounds = bounds;
        }

        @Override
        public char charAt(int index) {
            if (++reads % READS == 0) {
                bounds.demandTime();
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

    private static List<Field> partsOf(Class<?> type) {
        List<Field> parts = new ArrayList<>();
        for (Field field : type.getDeclaredFields()) {
            boolean mayHold = !field.getType().isPrimitive() && field.getType() != String.class && !field.isSynthetic();
            if (mayHold) {
                parts.add(opened(type, field.getName()));
            }
        }
        return parts;
    }

    static Field opened(Class<?> type, String name) {
        try {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new LinkageError("this version of JSONata is not supported: it has no " + type + "." + name, e);
        }
    }

    static @Nullable Object read(Field field, Object holder) {
        try {
            return field.get(holder);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void write(Field field, Object holder, Object value) {
        try {
            field.set(holder, value);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
