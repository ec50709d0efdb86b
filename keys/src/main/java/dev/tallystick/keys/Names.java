package dev.tallystick.keys;

import dev.tallystick.core.Unicode;

/** Names in this package, like keys, must be printable and short enough for an index. */
final class Names {

    static void check(String what, String name, int longest) {
        int length = name.codePointCount(0, name.length());
        if (length < 1 || length > longest) {
            throw new IllegalArgumentException(what + " has 1 to " + longest + " characters, got " + length);
        }
        if (!name.codePoints().allMatch(Unicode::isPrintable)) {
            throw new IllegalArgumentException(what + " must contain only printable characters");
        }
    }

    private Names() {}
}
