package dev.tallystick.keys;

/** What the names in this package have in common. */
final class Names {

    /** A control character in a name is a mistake or an attack on whoever prints it. */
    static void check(String what, String name, int longest) {
        if (name.isEmpty() || name.length() > longest) {
            throw new IllegalArgumentException(what + " has 1 to " + longest + " characters, got " + name.length());
        }
        if (name.codePoints().anyMatch(Names::isUnprintable)) {
            throw new IllegalArgumentException(what + " has printable characters only");
        }
    }

    private static boolean isUnprintable(int codePoint) {
        int type = Character.getType(codePoint);
        return type == Character.CONTROL || type == Character.SURROGATE || type == Character.UNASSIGNED;
    }

    private Names() {}
}
