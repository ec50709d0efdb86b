package dev.tallystick.core;

/** What text may contain: Java strings can hold more than UTF-8, and UTF-8 more than a person can read. */
public final class Unicode {

    /**
     * Such text has no UTF-8 form: encoding replaces the surrogate with {@code ?}, so two different texts would have the same
     * hash.
     */
    static boolean hasLoneSurrogate(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                boolean paired = Character.isHighSurrogate(c)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (!paired) {
                    return true;
                }
                i++;
            }
        }
        return false;
    }

    // Do not test "is assigned": that changes with the JDK, and all servers must accept the same keys.
    public static boolean isPrintable(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    public static boolean isPrintable(String text) {
        return text.codePoints().allMatch(Unicode::isPrintable);
    }

    /** The text for a terminal: as it is if all of it can be printed, else in quotes and with the rest escaped. */
    public static String shown(String text) {
        if (isPrintable(text)) {
            return text;
        }
        StringBuilder shown = new StringBuilder("\"");
        text.codePoints().forEach(c -> {
            if (c == '"' || c == '\\') {
                shown.append('\\').appendCodePoint(c);
            } else if (isPrintable(c)) {
                shown.appendCodePoint(c);
            } else {
                shown.append(c < 0x10000 ? "\\u%04x".formatted(c) : "\\u{%x}".formatted(c));
            }
        });
        return shown.append('"').toString();
    }

    private Unicode() {}
}
