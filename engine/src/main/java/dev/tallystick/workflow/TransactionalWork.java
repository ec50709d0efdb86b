package dev.tallystick.workflow;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Work that runs inside the transaction that records it. Ending that transaction is refused with a {@link MisuseException}. */
@FunctionalInterface
public interface TransactionalWork<T extends @Nullable Object> {

    T run(Connection connection) throws SQLException;
}
