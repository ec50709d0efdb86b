package dev.tallystick.core;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A JSON value that has exactly one written form, the canonical one of RFC 8785, so that its bytes can be hashed, signed and
 * compared.
 *
 * <p>Invariants: every value can be written, and {@link #parse(String)} reads the output of {@link #canonical()} back as an
 * equal value. Therefore a value contains no lone surrogate, no NaN, and no integer that a double cannot distinguish from its
 * neighbour. Two values are equal if and only if their canonical forms are.
 */
public sealed interface Json {

    /** The members in canonical order: by the UTF-16 code units of their names. */
    record ObjectValue(Map<String, Json> members) implements Json {

        public ObjectValue {
            members.keySet().forEach(Json::requireWellFormed);
            members = Collections.unmodifiableMap(new TreeMap<>(members));
        }
    }

    record ArrayValue(List<Json> elements) implements Json {

        public ArrayValue {
            elements = List.copyOf(elements);
        }
    }

    record StringValue(String value) implements Json {

        public StringValue {
            requireWellFormed(value);
        }
    }

    /** An IEEE 754 double, as RFC 8785 requires; minus zero becomes zero. */
    record NumberValue(double value) implements Json {

        /** 2^53: beyond it a double skips integers. */
        public static final long LARGEST_EXACT_INTEGER = 1L << 53;

        static final String INEXACT_INTEGER =
                "an integer beyond 2^53 loses digits as a JSON number; write it as a string";

        public NumberValue {
            if (!Double.isFinite(value)) {
                throw new IllegalArgumentException("JSON has no NaN and no infinity");
            }
            if (isInexactInteger(value)) {
                throw new IllegalArgumentException(INEXACT_INTEGER);
            }
            value += 0.0;
        }

        /** Whether the canonical form would be a full integer with insignificant last digits. */
        static boolean isInexactInteger(double value) {
            double magnitude = Math.abs(value);
            return magnitude > LARGEST_EXACT_INTEGER && magnitude < CanonicalJson.FIRST_WITH_EXPONENT;
        }
    }

    record BooleanValue(boolean value) implements Json {}

    record NullValue() implements Json {}

    static StringValue of(String value) {
        return new StringValue(value);
    }

    static NumberValue of(double value) {
        return new NumberValue(value);
    }

    static NumberValue of(long value) {
        if (value > NumberValue.LARGEST_EXACT_INTEGER || value < -NumberValue.LARGEST_EXACT_INTEGER) {
            throw new IllegalArgumentException(NumberValue.INEXACT_INTEGER);
        }
        return new NumberValue(value);
    }

    static BooleanValue of(boolean value) {
        return new BooleanValue(value);
    }

    static NullValue ofNull() {
        return new NullValue();
    }

    /**
     * Parses one document within the size and depth of {@link JsonLimits#DEFAULT}.
     *
     * @throws JsonRefused if it is not strict JSON, or if we cannot represent it exactly
     */
    static Json parse(byte[] utf8) {
        return parse(utf8, JsonLimits.DEFAULT);
    }

    static Json parse(byte[] utf8, JsonLimits limits) {
        return JsonParser.parse(utf8, limits);
    }

    static Json parse(String text) {
        return parse(text, JsonLimits.DEFAULT);
    }

    static Json parse(String text, JsonLimits limits) {
        return JsonParser.parse(text, limits);
    }

    /** The canonical form of this value. */
    default String canonical() {
        return CanonicalJson.write(this);
    }

    /**
     * The canonical form, if {@link #parse(String, JsonLimits)} will read it back.
     *
     * @throws JsonRefused if this value exceeds the limits
     */
    default String canonical(JsonLimits limits) {
        return CanonicalJson.write(this, limits);
    }

    /** The canonical form in UTF-8, for hashing and storage. */
    default byte[] canonicalBytes() {
        return canonical().getBytes(StandardCharsets.UTF_8);
    }

    private static void requireWellFormed(String text) {
        if (Unicode.hasLoneSurrogate(text)) {
            throw new IllegalArgumentException("a lone surrogate is not a character");
        }
    }
}
