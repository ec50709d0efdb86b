package dev.tallystick.engine;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Work that is done inside the transaction that records it. Committing is not its business. */
@FunctionalInterface
public interface TransactionalWork<T extends @Nullable Object> {

    T run(Connection connection) throws SQLException;
}
