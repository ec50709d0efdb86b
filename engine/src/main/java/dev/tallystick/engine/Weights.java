package dev.tallystick.engine;

import dev.tallystick.core.Digit;

/** Writes the weights of the digits into a statement, where it names them in braces. */
final class Weights {

    static String in(String statement) {
        String written = statement;
        for (Digit digit : Digit.values()) {
            written = written.replace("{" + digit.name() + "}", Long.toString(digit.weight()));
        }
        return written;
    }

    private Weights() {}
}
