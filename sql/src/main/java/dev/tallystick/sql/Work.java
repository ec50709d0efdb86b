package dev.tallystick.sql;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The body of a transaction. It may run several times, each time in a fresh transaction, so it must keep its effects inside
 * {@link Tx} and return its result.
 */
@FunctionalInterface
public interface Work<T extends @Nullable Object> {

    T run(Tx tx) throws SQLException;
}
