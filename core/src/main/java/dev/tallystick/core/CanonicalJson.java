package dev.tallystick.core;

import dev.tallystick.core.Json.ArrayValue;
import dev.tallystick.core.Json.BooleanValue;
import dev.tallystick.core.Json.NullValue;
import dev.tallystick.core.Json.NumberValue;
import dev.tallystick.core.Json.ObjectValue;
import dev.tallystick.core.Json.StringValue;
import dev.tallystick.core.JsonRefused.Reason;
import java.math.BigDecimal;
import java.math.MathContext;

/** Writes RFC 8785: no white space, sorted members, minimal escapes, numbers as in ECMAScript. */
final class CanonicalJson {

    /** ECMAScript writes integers below this in full, and larger ones with an exponent. */
    static final double FIRST_WITH_EXPONENT = 1e21;

    private static final int LARGEST_PLAIN_EXPONENT = 21;
    private static final int SMALLEST_PLAIN_EXPONENT = -6;

    private static final MathContext ONE_DIGIT = new MathContext(1);

    private final StringBuilder out = new StringBuilder();

    private final int longest;
    private final int deepest;
    private int depth;

    private CanonicalJson(int longest, int deepest) {
        this.longest = longest;
        this.deepest = deepest;
    }

    static String write(Json json) {
        return new CanonicalJson(Integer.MAX_VALUE, Integer.MAX_VALUE).text(json);
    }

    /** Stops at the limit: a value that shares its parts may be longer than memory allows. */
    static String write(Json json, JsonLimits limits) {
        CanonicalJson writer = new CanonicalJson(limits.bytes(), limits.depth());
        String text = writer.text(json);
        if (!limits.allow(text)) {
            throw writer.tooLong();
        }
        return text;
    }

    private String text(Json json) {
        value(json);
        return out.toString();
    }

    private void value(Json json) {
        if (out.length() > longest) {
            throw tooLong();
        }
        switch (json) {
            case ObjectValue object -> object(object);
            case ArrayValue array -> array(array);
            case StringValue string -> string(string.value());
            case NumberValue number -> out.append(number(number.value()));
            case BooleanValue bool -> out.append(bool.value());
            case NullValue nothing -> out.append("null");
        }
    }

    private void object(ObjectValue object) {
        open();
        char separator = '{';
        for (var member : object.members().entrySet()) {
            out.append(separator);
            string(member.getKey());
            out.append(':');
            value(member.getValue());
            separator = ',';
        }
        out.append(separator == '{' ? "{}" : "}");
        depth--;
    }

    private void array(ArrayValue array) {
        open();
        char separator = '[';
        for (Json element : array.elements()) {
            out.append(separator);
            value(element);
            separator = ',';
        }
        out.append(separator == '[' ? "[]" : "]");
        depth--;
    }

    private void open() {
        if (depth == deepest) {
            throw new JsonRefused(Reason.TOO_DEEP, "a document must not be nested more than " + deepest + " deep");
        }
        depth++;
    }

    private JsonRefused tooLong() {
        return new JsonRefused(Reason.TOO_LONG, "a document must not be longer than " + longest + " bytes");
    }

    private void string(String string) {
        out.append('"');
        for (int i = 0; i < string.length(); i++) {
            character(string.charAt(i));
        }
        out.append('"');
    }

    private void character(char c) {
        switch (c) {
            case '"' -> out.append("\\\"");
            case '\\' -> out.append("\\\\");
            case '\b' -> out.append("\\b");
            case '\t' -> out.append("\\t");
            case '\n' -> out.append("\\n");
            case '\f' -> out.append("\\f");
            case '\r' -> out.append("\\r");
            default -> {
                if (c < ' ') {
                    out.append("\\u00").append(c >> 4).append(Character.forDigit(c & 0xf, 16));
                } else {
                    out.append(c);
                }
            }
        }
    }

    /** ECMAScript's Number::toString for a finite number. */
    static String number(double value) {
        if (value == (long) value && Math.abs(value) <= NumberValue.LARGEST_EXACT_INTEGER) {
            return Long.toString((long) value);
        }
        BigDecimal shortest = shortest(value);
        String digits = shortest.unscaledValue().abs().toString();
        String sign = value < 0 ? "-" : "";
        // The number is 0.DIGITS times ten to this power.
        int point = digits.length() - shortest.scale();
        return sign + layOut(digits, point);
    }

    private static String layOut(String digits, int point) {
        int count = digits.length();
        if (point > LARGEST_PLAIN_EXPONENT || point <= SMALLEST_PLAIN_EXPONENT) {
            int exponent = point - 1;
            String fraction = count == 1 ? "" : "." + digits.substring(1);
            return digits.charAt(0) + fraction + (exponent < 0 ? "e" : "e+") + exponent;
        }
        if (point <= 0) {
            return "0." + "0".repeat(-point) + digits;
        }
        if (point >= count) {
            return digits + "0".repeat(point - count);
        }
        return digits.substring(0, point) + "." + digits.substring(point);
    }

    /**
     * The shortest decimal that reads back as {@code value}. {@link Double#toString} returns it, except that it always writes
     * two digits where one is enough: it writes the smallest number as 4.9E-324, and ECMAScript as 5e-324.
     */
    private static BigDecimal shortest(double value) {
        BigDecimal decimal = new BigDecimal(Double.toString(value)).stripTrailingZeros();
        if (decimal.precision() == 2) {
            BigDecimal oneDigit = decimal.round(ONE_DIGIT).stripTrailingZeros();
            if (oneDigit.doubleValue() == value) {
                return oneDigit;
            }
        }
        return decimal;
    }
}
