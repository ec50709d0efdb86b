package dev.tallystick.engine;

import com.dashjoin.jsonata.Functions;
import com.dashjoin.jsonata.Jsonata;
import com.dashjoin.jsonata.Jsonata.JFunction;
import com.dashjoin.jsonata.Utils;
import dev.tallystick.engine.LinearPattern.Match;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the JSONata functions that can use much time or memory in the library: functions with patterns and {@code $pad} are
 * reimplemented, the others check their arguments first. The library passes arguments of the types that the signature names, or
 * null.
 */
final class ExpressionFunctions {

    /** The longest picture of a number or time, and the longest text parsed with one. */
    private static final int MAX_PICTURE = 256;

    /** How many ways there may be to split a text by a picture; the library may try all of them. */
    private static final double MAX_READINGS = 1e6;

    private final List<Bound> functions;

    private record Bound(String name, JFunction function) {}

    @FunctionalInterface
    private interface Body {
        @Nullable
        Object call(List<?> arguments);
    }

    ExpressionFunctions(ExpressionBounds bounds) {
        this.functions = List.of(
                ours("match", "<s-f<s:o>n?:a<o>>", ExpressionFunctions::match),
                ours("contains", "<s-(sf):b>", ExpressionFunctions::contains),
                ours("split", "<s-(sf)n?:a<s>>", ExpressionFunctions::split),
                ours("replace", "<s-(sf)(sf)n?:s>", arguments -> replace(arguments, bounds)),
                ours("pad", "<s-ns?:s>", ExpressionFunctions::pad),
                ours("eval", "<sx?:x>", ExpressionFunctions::refuseEval),
                guarded("join", "<a<s>s?:s>", "join", ExpressionFunctions::demandShortJoin),
                guarded("number", "<(nsb)-:n>", "number", ExpressionFunctions::demandShort),
                guarded("formatNumber", "<n-so?:s>", "formatNumber", ExpressionFunctions::demandShort),
                guarded("formatInteger", "<n-s:s>", "formatInteger", ExpressionFunctions::demandShort),
                guarded("parseInteger", "<s-s:n>", "parseInteger", ExpressionFunctions::demandShort),
                guarded("fromMillis", "<n-s?s?:s>", "dateTimeFromMillis", ExpressionFunctions::demandShort),
                guarded("now", "<s?s?:s>", "now", ExpressionFunctions::demandShort),
                guarded("toMillis", "<s-s?:n>", "dateTimeToMillis", ExpressionFunctions::demandPlainTime));
    }

    void bindTo(Jsonata.Frame frame) {
        functions.forEach(each -> frame.bind(each.name(), each.function()));
    }

    private static Bound ours(String name, String signature, Body body) {
        return new Bound(name, new Ours(name, signature, body));
    }

    private static Bound guarded(String name, String signature, String method, Consumer<List<?>> look) {
        return new Bound(name, new Guarded(name, signature, method, look));
    }

    /** Replaces a library function under the same name, in partial applications too. */
    private static final class Ours extends JFunction {

        private final Body body;

        Ours(String name, String signature, Body body) {
            super(name, signature, Functions.class, null, name.equals("eval") ? "functionEval" : name);
            this.body = body;
        }

        @Override
        @SuppressWarnings("rawtypes") // the library's signature
        public @Nullable Object call(@Nullable Object input, List arguments) {
            return body.call(arguments);
        }
    }

    /** A library function that checks its arguments first. */
    private static final class Guarded extends JFunction {

        private final Consumer<List<?>> look;

        Guarded(String name, String signature, String method, Consumer<List<?>> look) {
            super(name, signature, Functions.class, null, method);
            this.look = look;
        }

        @Override
        @SuppressWarnings("rawtypes") // the library's signature
        public @Nullable Object call(@Nullable Object input, List arguments) {
            look.accept(arguments);
            return super.call(input, arguments);
        }
    }

    private static @Nullable Object at(List<?> arguments, int index) {
        return index < arguments.size() ? arguments.get(index) : null;
    }

    /** The limit argument; unlimited if absent. */
    private static int limit(List<?> arguments, int index) {
        if (!(at(arguments, index) instanceof Number limit)) {
            return Integer.MAX_VALUE;
        }
        if (limit.doubleValue() < 0) {
            throw new IllegalArgumentException("a limit is not negative, got " + limit);
        }
        return limit.intValue();
    }

    private static LinearPattern pattern(@Nullable Object given) {
        if (given instanceof LinearPattern pattern) {
            return pattern;
        }
        throw new IllegalArgumentException("only a pattern can be searched for in this way, such as /a+/");
    }

    private static @Nullable Object match(List<?> arguments) {
        if (!(at(arguments, 0) instanceof String text)) {
            return null;
        }
        List<Object> found = Utils.createSequence();
        pattern(at(arguments, 1)).matches(text, limit(arguments, 2)).forEach(match -> found.add(match.described()));
        return found;
    }

    private static @Nullable Object contains(List<?> arguments) {
        if (!(at(arguments, 0) instanceof String text)) {
            return null;
        }
        return at(arguments, 1) instanceof String part
                ? text.contains(part)
                : pattern(at(arguments, 1)).isIn(text);
    }

    private static @Nullable Object split(List<?> arguments) {
        if (!(at(arguments, 0) instanceof String text)) {
            return null;
        }
        int most = limit(arguments, 2);
        List<String> parts = new ArrayList<>();
        if (at(arguments, 1) instanceof String separator && separator.isEmpty()) {
            text.codePoints().limit(most).forEach(each -> parts.add(Character.toString(each)));
            return parts;
        }
        int from = 0;
        for (Match each : separators(text, at(arguments, 1))) {
            if (each.end() > 0) {
                parts.add(text.substring(from, each.start()));
                from = each.end();
            }
        }
        parts.add(text.substring(from));
        return most < parts.size() ? new ArrayList<>(parts.subList(0, most)) : parts;
    }

    private static List<Match> separators(String text, @Nullable Object separator) {
        return separator instanceof String part
                ? literally(text, part, Integer.MAX_VALUE)
                : pattern(separator).matches(text, Integer.MAX_VALUE);
    }

    private static List<Match> literally(String text, String part, int most) {
        List<Match> found = new ArrayList<>();
        for (int at = text.indexOf(part); at >= 0 && found.size() < most; at = text.indexOf(part, at + part.length())) {
            found.add(new Match(at, at + part.length(), part, List.of()));
        }
        return found;
    }

    private static @Nullable Object replace(List<?> arguments, ExpressionBounds bounds) {
        if (!(at(arguments, 0) instanceof String text)) {
            return null;
        }
        int most = limit(arguments, 3);
        Object with = at(arguments, 2);
        boolean isLiteral = at(arguments, 1) instanceof String;
        if (at(arguments, 1) instanceof String part && part.isEmpty()) {
            throw new IllegalArgumentException("the empty text cannot be replaced");
        }
        List<Match> found = at(arguments, 1) instanceof String part
                ? literally(text, part, most)
                : pattern(at(arguments, 1)).matches(text, most);
        StringBuilder replaced = new StringBuilder();
        int from = 0;
        for (Match each : found) {
            replaced.append(text, from, each.start());
            if (isLiteral && with instanceof String literal) {
                replaced.append(literal);
            } else {
                replaced.append(replacement(each, with));
            }
            from = each.end();
            ExpressionBounds.demandText(replaced.length());
            bounds.demandTime();
        }
        return replaced.append(text, from, text.length()).toString();
    }

    private static String replacement(Match match, @Nullable Object with) {
        if (with instanceof String template) {
            return filled(template, match);
        }
        Map<String, @Nullable Object> argument = new LinkedHashMap<>(match.described());
        List<@Nullable Object> groups = new ArrayList<>();
        groups.add(match.text());
        groups.addAll(match.groups());
        argument.put("groups", groups);
        try {
            return Functions.funcApply(with, List.of(argument)) instanceof String text ? text : "";
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** {@code $1} is the first group, {@code $0} the whole match, {@code $$} a dollar. */
    private static String filled(String template, Match match) {
        StringBuilder filled = new StringBuilder();
        for (int i = 0; i < template.length(); i++) {
            char now = template.charAt(i);
            char next = i + 1 < template.length() ? template.charAt(i + 1) : ' ';
            if (now != '$') {
                filled.append(now);
            } else if (next == '$') {
                filled.append('$');
                i++;
            } else if (next < '0' || next > '9') {
                filled.append('$');
            } else {
                int group = next - '0';
                i++;
                while (i + 1 < template.length()
                        && Character.isDigit(template.charAt(i + 1))
                        && 10 * group + template.charAt(i + 1) - '0'
                                <= match.groups().size()) {
                    group = 10 * group + template.charAt(++i) - '0';
                }
                String text = group == 0
                        ? match.text()
                        : group <= match.groups().size() ? match.groups().get(group - 1) : null;
                filled.append(text == null ? "" : text);
            }
        }
        return filled.toString();
    }

    private static @Nullable Object pad(List<?> arguments) {
        if (!(at(arguments, 0) instanceof String text && at(arguments, 1) instanceof Number width)) {
            return null;
        }
        ExpressionBounds.demandText(Math.abs(width.doubleValue()));
        int missing = Math.abs(width.intValue()) - text.codePointCount(0, text.length());
        if (missing <= 0) {
            return text;
        }
        String filler = at(arguments, 2) instanceof String given && !given.isEmpty() ? given : " ";
        String more = filler.repeat(missing / filler.codePointCount(0, filler.length()) + 1);
        String padding = more.substring(0, more.offsetByCodePoints(0, missing));
        return width.intValue() < 0 ? padding + text : text + padding;
    }

    private static @Nullable Object refuseEval(List<?> arguments) {
        throw new IllegalArgumentException("$eval is not available: what a job is given is never run as an expression");
    }

    private static void demandShortJoin(List<?> arguments) {
        if (at(arguments, 0) instanceof List<?> parts) {
            double separator = at(arguments, 1) instanceof String text ? text.length() : 0;
            double length = separator * parts.size();
            for (Object part : parts) {
                length += part instanceof String text ? text.length() : 0;
            }
            ExpressionBounds.demandText(length);
        }
    }

    private static void demandShort(List<?> arguments) {
        for (Object each : arguments) {
            if (each instanceof String text && text.length() > MAX_PICTURE) {
                throw new ExpressionBounds.Exceeded(
                        "a number, a time or its picture is longer than " + MAX_PICTURE + " characters");
            }
        }
    }

    /** The library parses times with a pattern built from the picture, which backtracks over where each part may end. */
    private static void demandPlainTime(List<?> arguments) {
        demandShort(arguments);
        if (at(arguments, 0) instanceof String text && at(arguments, 1) instanceof String picture) {
            double readings = 1;
            int adjacent = picture.replaceAll("\\s", "").split("\\][\\w]*\\[", -1).length - 1;
            for (int i = 0; i < adjacent; i++) {
                readings *= Math.max(1.0, text.length() - i) / (i + 1);
            }
            if (readings > MAX_READINGS) {
                throw new ExpressionBounds.Exceeded("the picture can be read in too many ways: separate its parts");
            }
        }
    }
}
