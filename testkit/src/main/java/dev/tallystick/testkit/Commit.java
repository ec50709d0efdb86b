package dev.tallystick.testkit;

import java.util.Set;

/**
 * A COMMIT on its way to the server.
 *
 * @param ordinal counts the COMMITs that this proxy has seen, from 1
 * @param statements the texts of the statements that the transaction has executed, each once
 */
public record Commit(long ordinal, Set<String> statements) {

    /** Whether some statement of the transaction contains this text: the name of a table, say. */
    public boolean mentions(String text) {
        return statements.stream().anyMatch(statement -> statement.contains(text));
    }
}
