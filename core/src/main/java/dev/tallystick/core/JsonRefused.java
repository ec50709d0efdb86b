package dev.tallystick.core;

/** This text or value is not acceptable JSON. Definite: it will be refused again. */
public final class JsonRefused extends IllegalArgumentException {

    public enum Reason {
        /** The bytes are not UTF-8. */
        NOT_UTF8,
        /** The text does not match the grammar of RFC 8259. */
        SYNTAX,
        /** A complete value is followed by more text. */
        TRAILING_CONTENT,
        /** An object has a duplicate member name, so readers would disagree about its value. */
        DUPLICATE_NAME,
        /** A string contains a lone surrogate. */
        LONE_SURROGATE,
        /** An integer would lose its last digits in a double. */
        INEXACT_INTEGER,
        /** A number larger than any double. */
        NUMBER_OVERFLOW,
        /** The nesting exceeds the limit. */
        TOO_DEEP,
        /** The size exceeds the limit. */
        TOO_LONG
    }

    private final Reason reason;
    private final int position;

    JsonRefused(Reason reason, CharSequence text, int position, String detail) {
        super(place(text, position) + ": " + detail);
        this.reason = reason;
        this.position = position;
    }

    /** Refuses a value that was to be written. */
    JsonRefused(Reason reason, String detail) {
        super(detail);
        this.reason = reason;
        this.position = 0;
    }

    public Reason reason() {
        return reason;
    }

    /** The position where parsing stopped, in UTF-16 code units. */
    public int position() {
        return position;
    }

    private static String place(CharSequence text, int position) {
        int line = 1;
        int lineStart = 0;
        for (int i = 0; i < position; i++) {
            if (text.charAt(i) == '\n') {
                line++;
                lineStart = i + 1;
            }
        }
        return "line " + line + ", column " + (position - lineStart + 1);
    }
}
