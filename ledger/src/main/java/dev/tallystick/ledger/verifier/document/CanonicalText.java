package dev.tallystick.ledger.verifier.document;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.ledger.verifier.git.Hashes;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.NumericNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/** Checks that a text is JSON in its one canonical form (RFC 8785), without building anything from it. */
public final class CanonicalText {

    /** How deeply arrays and objects may be nested. */
    static final int DEEPEST = 256;

    /** The longest text, in bytes. */
    public static final int LONGEST = 16 << 20;

    /** Integers of so many digits are written as they are. */
    private static final int PLAIN_DIGITS = 15;

    private final String text;
    private int at;

    private CanonicalText(String text) {
        this.text = text;
    }

    public static boolean isCanonical(byte[] utf8) {
        String text = new String(utf8, UTF_8);
        CanonicalText reader = new CanonicalText(text);
        return Arrays.equals(text.getBytes(UTF_8), utf8) && reader.value(0) && reader.at == text.length();
    }

    /**
     * The length in bytes of the canonical text of a document.
     *
     * @return more than {@link #LONGEST} if it is longer than that
     */
    public static int length(JsonNode node) {
        return length(node, 0);
    }

    private static int length(JsonNode node, int before) {
        int length = before;
        switch (node) {
            case ObjectNode object -> {
                length += object.isEmpty() ? 2 : 1 + 2 * object.size();
                for (Map.Entry<String, JsonNode> member : object.properties()) {
                    if (length <= LONGEST) {
                        length = length(member.getValue(), length + length(member.getKey()));
                    }
                }
            }
            case ArrayNode array -> {
                length += array.isEmpty() ? 2 : 1 + array.size();
                for (int i = 0; i < array.size() && length <= LONGEST; i++) {
                    length = length(array.get(i), length);
                }
            }
            case StringNode string -> length += length(string.stringValue());
            case NumericNode number -> length += shortest(number.doubleValue()).length();
            default -> length += node.toString().length();
        }
        return length;
    }

    private static int length(String string) {
        int length = 2;
        for (int i = 0; i < string.length() && length <= LONGEST; i++) {
            char c = string.charAt(i);
            boolean escaped = c == '"' || c == '\\' || c == '\b' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
            length += escaped ? 2 : c < ' ' ? 6 : c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
        }
        return length;
    }

    private boolean value(int depth) {
        return switch (peek()) {
            case '{' -> depth < DEEPEST && object(depth + 1);
            case '[' -> depth < DEEPEST && array(depth + 1);
            case '"' -> string() != null;
            case 't' -> word("true");
            case 'f' -> word("false");
            case 'n' -> word("null");
            default -> number();
        };
    }

    private boolean object(int depth) {
        at++;
        if (skipped('}')) {
            return true;
        }
        String before = null;
        do {
            String name = peek() == '"' ? string() : null;
            if (name == null || (before != null && before.compareTo(name) >= 0) || !skipped(':') || !value(depth)) {
                return false;
            }
            before = name;
        } while (skipped(','));
        return skipped('}');
    }

    private boolean array(int depth) {
        at++;
        if (skipped(']')) {
            return true;
        }
        do {
            if (!value(depth)) {
                return false;
            }
        } while (skipped(','));
        return skipped(']');
    }

    /** The string that begins here, or null if it is none in canonical form. */
    private @Nullable String string() {
        int begin = ++at;
        StringBuilder unescaped = null;
        while (true) {
            int c = peek();
            if (c < ' ') {
                return null;
            }
            if (c == '"') {
                at++;
                return unescaped == null ? text.substring(begin, at - 1) : unescaped.toString();
            }
            if (c == '\\') {
                unescaped = unescaped == null ? new StringBuilder(text.substring(begin, at)) : unescaped;
                c = escaped();
                if (c < 0) {
                    return null;
                }
            } else {
                at++;
            }
            if (unescaped != null) {
                unescaped.append((char) c);
            }
        }
    }

    /** What the escape here stands for, -1 if it is not the shortest one. */
    private int escaped() {
        at++;
        int c = switch (peek()) {
            case '"' -> '"';
            case '\\' -> '\\';
            case 'b' -> '\b';
            case 't' -> '\t';
            case 'n' -> '\n';
            case 'f' -> '\f';
            case 'r' -> '\r';
            default -> -1;
        };
        if (c >= 0) {
            at++;
            return c;
        }
        if (!text.startsWith("u00", at) || at + 5 > text.length()) {
            return -1;
        }
        String digits = text.substring(at + 3, at + 5);
        int control = Hashes.isHex(digits, 2) ? Integer.parseInt(digits, 16) : ' ';
        boolean hasShortForm =
                control == '\b' || control == '\t' || control == '\n' || control == '\f' || control == '\r';
        at += 5;
        return control < ' ' && !hasShortForm ? control : -1;
    }

    private boolean number() {
        int begin = at;
        boolean plain = true;
        while ("+-.0123456789e".indexOf(peek()) >= 0) {
            plain &= peek() >= '0' && peek() <= '9' && (text.charAt(begin) != '0' || at == begin);
            at++;
        }
        if (plain && at > begin && at - begin <= PLAIN_DIGITS) {
            return true;
        }
        String token = text.substring(begin, at);
        if (token.isEmpty() || token.length() > 30) {
            return false;
        }
        try {
            double number = Double.parseDouble(token);
            return Double.isFinite(number) && shortest(number).equals(token);
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** As ECMAScript writes it: the fewest digits that read back as the same number. */
    private static String shortest(double number) {
        if (number == 0) {
            return "0";
        }
        BigDecimal decimal = new BigDecimal(Double.toString(Math.abs(number))).stripTrailingZeros();
        BigDecimal shorter = decimal.round(new MathContext(1));
        if (decimal.precision() == 2 && shorter.doubleValue() == Math.abs(number)) {
            decimal = shorter.stripTrailingZeros();
        }
        String digits = decimal.unscaledValue().toString();
        int point = digits.length() - decimal.scale();
        String sign = number < 0 ? "-" : "";
        if (point > 21 || point < -5) {
            String fraction = digits.length() > 1 ? "." + digits.substring(1) : "";
            return sign + digits.charAt(0) + fraction + "e" + (point > 0 ? "+" : "") + (point - 1);
        }
        return sign + decimal.toPlainString();
    }

    private boolean word(String word) {
        boolean there = text.startsWith(word, at);
        at += word.length();
        return there;
    }

    private boolean skipped(char c) {
        boolean there = peek() == c;
        at += there ? 1 : 0;
        return there;
    }

    private int peek() {
        return at < text.length() ? text.charAt(at) : -1;
    }
}
