package dev.tallystick.core;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The limits of the JSON that we accept.
 *
 * @param bytes the longest document, in UTF-8
 * @param depth how deeply arrays and objects may be nested
 */
public record JsonLimits(int bytes, int depth) {

    /** Parsing is recursive; this many levels fit on any thread's stack. */
    public static final int GREATEST_DEPTH = 1_000;

    public static final JsonLimits DEFAULT = new JsonLimits(1024 * 1024, 256);

    public JsonLimits {
        if (bytes < 1) {
            throw new IllegalArgumentException("a document has at least 1 byte, but the limit is " + bytes);
        }
        if (depth < 0 || depth > GREATEST_DEPTH) {
            throw new IllegalArgumentException("the depth limit must be 0 to " + GREATEST_DEPTH + ", got " + depth);
        }
    }

    /** Whether a text is short enough. */
    boolean allow(String text) {
        return text.length() <= bytes / 3 || text.getBytes(UTF_8).length <= bytes;
    }
}
