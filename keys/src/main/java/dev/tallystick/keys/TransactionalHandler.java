package dev.tallystick.keys;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;

/** Work whose effect is written in a transaction, and so happens if and only if its answer is recorded. */
@FunctionalInterface
public interface TransactionalHandler {

    /**
     * Does the work and answers. It may run several times, each time in a fresh transaction, so it must keep its effects
     * inside {@code tx}. An exception rolls everything back and frees the key.
     */
    Verdict.Answer handle(Tx tx) throws SQLException;
}
