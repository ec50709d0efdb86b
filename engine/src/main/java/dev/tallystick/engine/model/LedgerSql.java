package dev.tallystick.engine.model;

import dev.tallystick.core.Digit;

/** Replaces the digit names in braces in a statement with their weights. */
public final class LedgerSql {

    public static String in(String statement) {
        String written = statement;
        for (Digit digit : Digit.values()) {
            written = written.replace("{" + digit.name() + "}", Long.toString(digit.weight()));
        }
        return written;
    }

    private LedgerSql() {}
}
