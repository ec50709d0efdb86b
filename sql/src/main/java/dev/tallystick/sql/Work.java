package dev.tallystick.sql;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What happens inside a transaction. It may run several times, each time in a fresh transaction, so it keeps its effects inside
 * {@link Tx} and its result in what it returns.
 */
@FunctionalInterface
public interface Work<T extends @Nullable Object> {

    T run(Tx tx) throws SQLException;
}
