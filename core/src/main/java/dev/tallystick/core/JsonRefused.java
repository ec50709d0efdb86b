package dev.tallystick.core;

/** This text is not JSON that we accept. Definite: the same text will be refused again. */
public final class JsonRefused extends IllegalArgumentException {

    public enum Reason {
        /** The bytes are not UTF-8. */
        NOT_UTF8,
        /** The grammar of RFC 8259 does not produce this text. */
        SYNTAX,
        /** A complete value, and then something else. */
        TRAILING_CONTENT,
        /** One object names a member twice, so readers would disagree about its value. */
        DUPLICATE_NAME,
        /** A string with half of a surrogate pair. */
        LONE_SURROGATE,
        /** An integer whose last digits a double would lose. */
        INEXACT_INTEGER,
        /** A number larger than any double. */
        NUMBER_OVERFLOW,
        /** More nesting than the limit. */
        TOO_DEEP,
        /** More bytes than the limit. */
        TOO_LONG
    }

    private final Reason reason;
    private final int position;

    JsonRefused(Reason reason, CharSequence text, int position, String detail) {
        super(place(text, position) + ": " + detail);
        this.reason = reason;
        this.position = position;
    }

    public Reason reason() {
        return reason;
    }

    /** Where reading stopped: how many UTF-16 code units of the text come before. */
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
