package dev.tallystick.core;

import dev.tallystick.core.Json.ArrayValue;
import dev.tallystick.core.Json.NumberValue;
import dev.tallystick.core.Json.ObjectValue;
import dev.tallystick.core.Json.StringValue;
import dev.tallystick.core.JsonRefused.Reason;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Parses strict RFC 8259 by recursive descent, with one method for each rule of the grammar. */
final class JsonParser {

    private static final int END = -1;

    /** Every integer with more digits than this is beyond 2^53. */
    private static final int DIGITS_OF_LARGEST_INTEGER = 16;

    private final String text;
    private final JsonLimits limits;
    private int at;
    private int depth;

    private JsonParser(String text, JsonLimits limits) {
        this.text = text;
        this.limits = limits;
    }

    static Json parse(byte[] utf8, JsonLimits limits) {
        if (utf8.length > limits.bytes()) {
            throw tooLong(limits);
        }
        return new JsonParser(decode(utf8), limits).document();
    }

    static Json parse(String text, JsonLimits limits) {
        if (!limits.allow(text)) {
            throw tooLong(limits);
        }
        return new JsonParser(text, limits).document();
    }

    private static JsonRefused tooLong(JsonLimits limits) {
        return new JsonRefused(Reason.TOO_LONG, "", 0, "longer than " + limits.bytes() + " bytes");
    }

    private static String decode(byte[] utf8) {
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        CharBuffer chars = CharBuffer.allocate(utf8.length);
        CoderResult result = decoder.decode(ByteBuffer.wrap(utf8), chars, true);
        chars.flip();
        if (result.isError()) {
            throw new JsonRefused(Reason.NOT_UTF8, chars, chars.length(), "the document is not valid UTF-8");
        }
        return chars.toString();
    }

    private Json document() {
        Json value = value();
        skipSpace();
        if (at < text.length()) {
            throw refused(Reason.TRAILING_CONTENT, "unexpected text after the end of the document");
        }
        return value;
    }

    private Json value() {
        skipSpace();
        return switch (peek()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> new StringValue(string());
            case 't' -> literal("true", Json.of(true));
            case 'f' -> literal("false", Json.of(false));
            case 'n' -> literal("null", Json.ofNull());
            case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> number();
            case END -> throw syntax("a value is missing");
            default -> throw syntax("unexpected character; a value must begin here");
        };
    }

    private Json object() {
        open();
        Map<String, Json> members = new TreeMap<>();
        if (!skippedTo('}')) {
            do {
                member(members);
            } while (anotherBefore('}'));
        }
        depth--;
        return new ObjectValue(members);
    }

    private void member(Map<String, Json> members) {
        skipSpace();
        if (peek() != '"') {
            throw syntax("a member must begin with its name in quotes");
        }
        int start = at;
        String name = string();
        if (members.containsKey(name)) {
            at = start;
            throw refused(Reason.DUPLICATE_NAME, "duplicate member name");
        }
        skipSpace();
        if (peek() != ':') {
            throw syntax("a colon is missing after the name");
        }
        at++;
        members.put(name, value());
    }

    private Json array() {
        open();
        List<Json> elements = new ArrayList<>();
        if (!skippedTo(']')) {
            do {
                elements.add(value());
            } while (anotherBefore(']'));
        }
        depth--;
        return new ArrayValue(elements);
    }

    private void open() {
        if (depth == limits.depth()) {
            throw refused(Reason.TOO_DEEP, "nested more than " + limits.depth() + " deep");
        }
        depth++;
        at++;
    }

    private boolean skippedTo(char close) {
        skipSpace();
        if (peek() == close) {
            at++;
            return true;
        }
        return false;
    }

    private boolean anotherBefore(char close) {
        if (skippedTo(close)) {
            return false;
        }
        if (peek() != ',') {
            throw syntax("a comma or " + close + " is missing");
        }
        at++;
        return true;
    }

    private Json literal(String word, Json value) {
        if (!text.startsWith(word, at)) {
            throw syntax("unexpected character; a value must begin here");
        }
        at += word.length();
        return value;
    }

    private String string() {
        int start = at++;
        int plain = at;
        StringBuilder escaped = null;
        while (peek() != '"') {
            int c = peek();
            if (c == END) {
                throw syntax("the string is not terminated");
            }
            if (c < ' ') {
                throw syntax("a control character in a string must be escaped");
            }
            if (c == '\\') {
                escaped = escaped == null ? new StringBuilder() : escaped;
                escaped.append(text, plain, at).append(escape());
                plain = at;
            } else {
                at++;
            }
        }
        String rest = text.substring(plain, at++);
        String string = escaped == null ? rest : escaped.append(rest).toString();
        if (Unicode.hasLoneSurrogate(string)) {
            at = start;
            throw refused(Reason.LONE_SURROGATE, "the string contains a lone surrogate");
        }
        return string;
    }

    private char escape() {
        at++;
        int c = peek();
        char meant = switch (c) {
            case '"', '\\', '/' -> (char) c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> codeUnit();
            default -> throw syntax("unknown escape sequence");
        };
        at++;
        return meant;
    }

    /** Stops at the last of the four hexadecimal digits, as other escapes stop at their one letter. */
    private char codeUnit() {
        int unit = 0;
        for (int i = 0; i < 4; i++) {
            at++;
            int digit = peek() < 0x80 ? Character.digit(peek(), 16) : -1;
            if (digit < 0) {
                throw syntax("\\u must be followed by four hexadecimal digits");
            }
            unit = unit << 4 | digit;
        }
        return (char) unit;
    }

    private Json number() {
        int start = at;
        if (peek() == '-') {
            at++;
        }
        int firstDigit = at;
        digits();
        int integerDigits = at - firstDigit;
        if (integerDigits > 1 && text.charAt(firstDigit) == '0') {
            at = firstDigit;
            throw syntax("a number must not have a leading zero");
        }
        boolean fraction = skippedFraction();
        boolean exponent = skippedExponent();
        boolean integer = !fraction && !exponent;
        double value = Double.parseDouble(text.substring(start, at));
        if (integer ? isBeyondExact(firstDigit, integerDigits) : NumberValue.isInexactInteger(value)) {
            at = start;
            throw refused(Reason.INEXACT_INTEGER, NumberValue.INEXACT_INTEGER);
        }
        if (Double.isInfinite(value)) {
            at = start;
            throw refused(Reason.NUMBER_OVERFLOW, "the number is too large for a double");
        }
        return new NumberValue(value);
    }

    private boolean skippedFraction() {
        if (peek() != '.') {
            return false;
        }
        at++;
        digits();
        return true;
    }

    private boolean skippedExponent() {
        if (peek() != 'e' && peek() != 'E') {
            return false;
        }
        at++;
        if (peek() == '+' || peek() == '-') {
            at++;
        }
        digits();
        return true;
    }

    private void digits() {
        int start = at;
        while (peek() >= '0' && peek() <= '9') {
            at++;
        }
        if (at == start) {
            throw syntax("a digit is missing");
        }
    }

    // Check the text, not the double: 2^53 + 1 has already been rounded to 2^53 there.
    private boolean isBeyondExact(int firstDigit, int count) {
        return count > DIGITS_OF_LARGEST_INTEGER
                || Long.parseLong(text.substring(firstDigit, firstDigit + count)) > NumberValue.LARGEST_EXACT_INTEGER;
    }

    private void skipSpace() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') {
            at++;
        }
    }

    private int peek() {
        return at < text.length() ? text.charAt(at) : END;
    }

    private JsonRefused syntax(String detail) {
        return refused(Reason.SYNTAX, detail);
    }

    private JsonRefused refused(Reason reason, String detail) {
        return new JsonRefused(reason, text, at, detail);
    }
}
