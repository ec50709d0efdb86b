package dev.tallystick.sql;

import java.util.regex.Pattern;

/** The schema of a database in which our tables are; {@code tally} unless its owner wants another. */
public record SchemaName(String value) {

    private static final Pattern NAME = Pattern.compile("(?!pg_)[a-z_][a-z0-9_]{0,62}");

    public static final SchemaName DEFAULT = new SchemaName("tally");

    public SchemaName {
        if (!NAME.matcher(value).matches()) {
            throw new IllegalArgumentException("a schema is named with at most 63 small letters, digits and '_', not "
                    + "beginning with a digit or 'pg_'; got '" + value + "'");
        }
    }

    /** The name as SQL writes it; one that is a word of SQL is no keyword then. */
    String quoted() {
        return '"' + value + '"';
    }

    @Override
    public String toString() {
        return value;
    }
}
