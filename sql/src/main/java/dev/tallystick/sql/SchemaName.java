package dev.tallystick.sql;

import java.util.regex.Pattern;

/** The database schema of our tables; {@code tally} by default. */
public record SchemaName(String value) {

    private static final Pattern NAME = Pattern.compile("(?!pg_)[a-z_][a-z0-9_]{0,62}");

    public static final SchemaName DEFAULT = new SchemaName("tally");

    public SchemaName {
        if (!NAME.matcher(value).matches()) {
            throw new IllegalArgumentException("a schema name has at most 63 lower-case letters, digits and '_', not "
                    + "beginning with a digit or 'pg_'; got '" + value + "'");
        }
    }

    /** The name quoted for SQL, in case it is a keyword. */
    String quoted() {
        return '"' + value + '"';
    }

    @Override
    public String toString() {
        return value;
    }
}
