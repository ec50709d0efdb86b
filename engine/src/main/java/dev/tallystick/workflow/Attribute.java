package dev.tallystick.workflow;

import java.util.regex.Pattern;

/** A value by which a job can be found. */
public record Attribute(String name, String value) {

    public static final int LONGEST_VALUE = 400;

    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_.-]{0,99}");

    public Attribute {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "an attribute's name begins with a letter and has up to 100 letters, digits, '_', '.' or '-'; got '"
                            + name + "'");
        }
        if (value.length() > LONGEST_VALUE || value.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    "the value of attribute '" + name + "' has at most " + LONGEST_VALUE + " characters and no NUL");
        }
    }
}
