package dev.tallystick.engine.schedule;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One field of a cron expression: the matching values, as bits.
 *
 * @param isAny whether the field is a star and restricts nothing
 */
record CronField(long bits, boolean isAny) {

    private static final Pattern PART =
            Pattern.compile("(?<from>\\*|\\w+)(-(?<to>\\w+))?(/(?<step>\\d{1,4}))?", Pattern.CASE_INSENSITIVE);

    /** Parses values between {@code low} and {@code high}; {@code names} lists names for them, starting at {@code low}. */
    static CronField parse(String what, String text, int low, int high, List<String> names) {
        long bits = 0;
        for (String part : text.split(",", -1)) {
            Matcher parts = PART.matcher(part);
            if (!parts.matches() || (parts.group("from").equals("*") && parts.group("to") != null)) {
                throw new IllegalArgumentException("'" + part + "' is no " + what
                        + "; wanted a number, a range a-b, a star, or one of these with /step");
            }
            boolean any = parts.group("from").equals("*");
            boolean stepped = parts.group("step") != null;
            int from = any ? low : value(what, parts.group("from"), low, high, names);
            int to = from;
            if (parts.group("to") != null) {
                to = value(what, parts.group("to"), low, high, names);
            } else if (any || stepped) {
                to = high;
            }
            int step = stepped ? Integer.parseInt(parts.group("step")) : 1;
            if (from > to || step < 1) {
                throw new IllegalArgumentException("'" + part + "' is an empty range of the " + what);
            }
            for (int i = from; i <= to; i += step) {
                bits |= 1L << i;
            }
        }
        return new CronField(bits, text.startsWith("*"));
    }

    boolean has(int value) {
        return (bits >> value & 1) == 1;
    }

    /** The lowest matching value that is not below {@code lowest}, or a negative number if there is none. */
    int from(int lowest) {
        long rest = lowest >= Long.SIZE ? 0 : bits >>> lowest << lowest;
        return rest == 0 ? -1 : Long.numberOfTrailingZeros(rest);
    }

    private static int value(String what, String text, int low, int high, List<String> names) {
        int named = names.indexOf(text.toUpperCase(Locale.ROOT));
        if (named >= 0) {
            return low + named;
        }
        int value = text.matches("\\d{1,4}") ? Integer.parseInt(text) : -1;
        if (value < low || value > high) {
            throw new IllegalArgumentException("'" + text + "' is no " + what + "; wanted " + low + " to " + high
                    + (names.isEmpty() ? "" : " or " + names.getFirst() + " to " + names.getLast()));
        }
        return value;
    }
}
