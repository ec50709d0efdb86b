package dev.tallystick.engine.graph;

import static dev.tallystick.engine.graph.ExpressionArguments.at;

import com.dashjoin.jsonata.Functions;
import com.dashjoin.jsonata.Jsonata;
import com.dashjoin.jsonata.Jsonata.JFunction;
import com.dashjoin.jsonata.Utils;
import com.dashjoin.jsonata.Utils.JList;
import dev.tallystick.engine.graph.LinearPattern.Match;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the JSONata functions that can use much time or memory in the library: functions with patterns and {@code $pad} are
 * reimplemented, the others check their arguments first. The library passes arguments of the types that the signature names, or
 * null.
 */
final class ExpressionFunctions {

    private final Supplier<ExpressionBounds> bounds;
    private final List<Bound> functions;

    private record Bound(String name, JFunction function) {}

    @FunctionalInterface
    private interface Body {
        @Nullable
        Object call(List<?> arguments);
    }

    /** @param bounds those of the evaluation that calls a function, on this thread */
    ExpressionFunctions(Supplier<ExpressionBounds> bounds) {
        this.bounds = bounds;
        this.functions = List.of(
                ours("match", "<s-f<s:o>n?:a<o>>", this::match),
                ours("contains", "<s-(sf):b>", this::contains),
                ours("split", "<s-(sf)n?:a<s>>", this::split),
                ours("replace", "<s-(sf)(sf)n?:s>", this::replace),
                ours("pad", "<s-ns?:s>", ExpressionFunctions::pad),
                ours("spread", "<x-:a<o>>", ExpressionFunctions::spread),
                ours("distinct", "<x:x>", this::distinct),
                ours("eval", "<sx?:x>", ExpressionFunctions::refuseEval),
                guarded("join", "<a<s>s?:s>", "join", ExpressionArguments::demandShortJoin),
                guarded("string", "<x-b?:s>", "string", ExpressionArguments::demandShortPrint),
                guarded("substringBefore", "<s-s:s>", "substringBefore", ExpressionArguments::demandShortSearch),
                guarded("substringAfter", "<s-s:s>", "substringAfter", ExpressionArguments::demandShortSearch),
                guarded("encodeUrl", "<s-:s>", "encodeUrl", ExpressionArguments::demandShortUrl),
                guarded("encodeUrlComponent", "<s-:s>", "encodeUrlComponent", ExpressionArguments::demandShortUrl),
                guarded("round", "<n-n?:n>", "round", ExpressionArguments::demandFewPlaces),
                guarded("number", "<(nsb)-:n>", "number", ExpressionArguments::demandShort),
                guarded("formatNumber", "<n-so?:s>", "formatNumber", ExpressionArguments::demandShort),
                guarded("formatInteger", "<n-s:s>", "formatInteger", ExpressionArguments::demandShort),
                guarded("parseInteger", "<s-s:n>", "parseInteger", ExpressionArguments::demandShort),
                guarded(
                        "fromMillis",
                        "<n-s?s?:s>",
                        "dateTimeFromMillis",
                        arguments -> ExpressionArguments.demandNarrow(arguments, 1)),
                guarded("now", "<s?s?:s>", "now", arguments -> ExpressionArguments.demandNarrow(arguments, 0)),
                guarded("toMillis", "<s-s?:n>", "dateTimeToMillis", ExpressionArguments::demandPlainTime),
                counted("substring", "<s-nn?:s>", "substring"),
                counted("lowercase", "<s-:s>", "lowercase"),
                counted("uppercase", "<s-:s>", "uppercase"),
                counted("trim", "<s-:s>", "trim"),
                counted("base64encode", "<s-:s>", "base64encode"),
                counted("base64decode", "<s-:s>", "base64decode"),
                counted("decodeUrl", "<s-:s>", "decodeUrl"),
                counted("decodeUrlComponent", "<s-:s>", "decodeUrlComponent"),
                counted("formatBase", "<n-n?:s>", "formatBase"),
                counted("map", "<af>", "map"),
                counted("zip", "<a+>", "zip"),
                counted("filter", "<af>", "filter"),
                counted("reduce", "<afj?:j>", "foldLeft"),
                counted("sift", "<o-f?:o>", "sift"),
                counted("keys", "<x-:a<s>>", "keys"),
                counted("lookup", "<x-s:x>", "lookup"),
                counted("append", "<xx:a>", "append"),
                counted("merge", "<a<o>:o>", "merge"),
                counted("reverse", "<a:a>", "reverse"),
                counted("each", "<o-f:a>", "each"),
                counted("sort", "<af?:a>", "sort"),
                counted("shuffle", "<a:a>", "shuffle"),
                counted("clone", "<(oa)-:o>", "functionClone"));
    }

    void bindTo(Jsonata.Frame frame) {
        functions.forEach(each -> frame.bind(each.name(), each.function()));
    }

    private Bound ours(String name, String signature, Body body) {
        return new Bound(name, new Ours(name, signature, body));
    }

    private Bound guarded(String name, String signature, String method, Consumer<List<?>> look) {
        return new Bound(name, new Guarded(name, signature, method, look));
    }

    /** A function that takes no longer than its arguments are large. Functions may call it without a part in between. */
    private Bound counted(String name, String signature, String method) {
        return guarded(name, signature, method, arguments -> {});
    }

    /** In place of a function of the library, by whose name it is known in partial applications too. */
    private final class Ours extends JFunction {

        private final Body body;

        Ours(String name, String signature, Body body) {
            super(name, signature, Functions.class, null, name.equals("eval") ? "functionEval" : name);
            this.body = body;
        }

        @Override
        @SuppressWarnings("rawtypes") // the library's signature
        public @Nullable Object call(@Nullable Object input, List arguments) {
            bounds.get().takePart();
            Object result = body.call(arguments);
            bounds.get().look(result);
            return result;
        }
    }

    /** A function of the library that looks first at what it is given. */
    private final class Guarded extends JFunction {

        private final Consumer<List<?>> look;

        Guarded(String name, String signature, String method, Consumer<List<?>> look) {
            super(name, signature, Functions.class, null, method);
            this.look = look;
        }

        @Override
        @SuppressWarnings("rawtypes") // the library's signature
        public @Nullable Object call(@Nullable Object input, List arguments) {
            bounds.get().takePart();
            look.accept(arguments);
            Object result = super.call(input, arguments);
            bounds.get().look(result);
            return result;
        }
    }

    /** The limit, or as many as there are. */
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

    private @Nullable Object match(List<?> arguments) {
        if (!(at(arguments, 0) instanceof String text)) {
            return null;
        }
        List<Object> found = Utils.createSequence();
        pattern(at(arguments, 1)).matches(text, limit(arguments, 2)).forEach(match -> found.add(match.described()));
        return found;
    }

    private @Nullable Object contains(List<?> arguments) {
        if (!(at(arguments, 0) instanceof String text)) {
            return null;
        }
        ExpressionArguments.demandShortSearch(arguments);
        return at(arguments, 1) instanceof String part
                ? text.contains(part)
                : pattern(at(arguments, 1)).isIn(text);
    }

    private @Nullable Object split(List<?> arguments) {
        if (!(at(arguments, 0) instanceof String text)) {
            return null;
        }
        int most = limit(arguments, 2);
        List<String> parts = new ArrayList<>();
        if (at(arguments, 1) instanceof String separator && separator.isEmpty()) {
            ExpressionBounds.demandList(Math.min(most, text.length()));
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

    private List<Match> separators(String text, @Nullable Object separator) {
        return separator instanceof String part
                ? literally(text, part, Integer.MAX_VALUE)
                : pattern(separator).matches(text, Integer.MAX_VALUE);
    }

    private List<Match> literally(String text, String part, int most) {
        ExpressionArguments.demandShortSearch(List.of(text, part));
        List<Match> found = new ArrayList<>();
        for (int at = text.indexOf(part); at >= 0 && found.size() < most; at = text.indexOf(part, at + part.length())) {
            bounds.get().create(LinearPattern.MATCH);
            found.add(new Match(at, at + part.length(), part, List.of()));
        }
        return found;
    }

    private @Nullable Object replace(List<?> arguments) {
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
            bounds.get().demandTime();
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

    private static @Nullable Object spread(List<?> arguments) {
        Object given = at(arguments, 0);
        if (!(given instanceof List<?> || given instanceof Map<?, ?>)) {
            return given;
        }
        List<Object> spread = Utils.createSequence();
        spreadInto(spread, given);
        return spread;
    }

    private static void spreadInto(List<Object> spread, @Nullable Object given) {
        switch (given) {
            case List<?> list -> list.forEach(each -> spreadInto(spread, each));
            case Map<?, ?> map ->
                map.forEach((key, value) -> {
                    Map<Object, @Nullable Object> single = new LinkedHashMap<>();
                    single.put(key, value);
                    spread.add(single);
                });
            case null -> {}
            case Object other -> spread.add(other);
        }
    }

    /** Lists and maps that differ may have the same hash: the set compares each of them with all the others then. */
    private @Nullable Object distinct(List<?> arguments) {
        if (!(at(arguments, 0) instanceof List<?> list) || list.size() <= 1) {
            return at(arguments, 0);
        }
        Set<Object> distinct = new LinkedHashSet<>();
        for (Object each : list) {
            bounds.get().takePart();
            distinct.add(each);
        }
        List<Object> inOrder = list instanceof JList<?> ? Utils.createSequence() : new ArrayList<>();
        inOrder.addAll(distinct);
        return inOrder;
    }

    private static @Nullable Object refuseEval(List<?> arguments) {
        throw new IllegalArgumentException("$eval is not available: what a job is given is never run as an expression");
    }
}
