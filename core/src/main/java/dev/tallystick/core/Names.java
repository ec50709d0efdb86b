package dev.tallystick.core;

import java.util.regex.Pattern;

/** The valid names of meshes, members, topics and queues: no quoting needed in a path, a log or a shell. */
public final class Names {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

    public static String require(String what, String name) {
        if (!isName(name)) {
            throw new IllegalArgumentException("the name of a " + what
                    + " must have 1 to 128 letters, digits, '.', '_' and '-', and begin with a letter or digit");
        }
        return name;
    }

    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    private Names() {}
}
