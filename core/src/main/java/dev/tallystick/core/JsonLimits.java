package dev.tallystick.core;

/**
 * How much JSON is read before it is refused.
 *
 * @param bytes the longest document, in UTF-8
 * @param depth how many arrays and objects may stand inside each other
 */
public record JsonLimits(int bytes, int depth) {

    /** Reading is recursive; this many levels are sure to fit on any thread's stack. */
    public static final int GREATEST_DEPTH = 1_000;

    public static final JsonLimits DEFAULT = new JsonLimits(1024 * 1024, 256);

    public JsonLimits {
        if (bytes < 1) {
            throw new IllegalArgumentException("a document has at least 1 byte, got a limit of " + bytes);
        }
        if (depth < 0 || depth > GREATEST_DEPTH) {
            throw new IllegalArgumentException("depth is limited to 0 to " + GREATEST_DEPTH + ", got " + depth);
        }
    }
}
