package dev.tallystick.testkit;

import java.util.Set;

/**
 * A COMMIT in transit to the server.
 *
 * @param ordinal the number of this COMMIT in its proxy, from 1
 * @param statements the distinct texts of the statements that the transaction has executed
 */
public record Commit(long ordinal, Set<String> statements) {

    /** Whether a statement of the transaction contains this text, such as a table name. */
    public boolean mentions(String text) {
        return statements.stream().anyMatch(statement -> statement.contains(text));
    }
}
