package dev.tallystick.sql;

import java.sql.SQLException;

/** What a caller adds to a transaction of another module: both commit, or neither does. */
@FunctionalInterface
public interface Also {

    Also NOTHING = tx -> {};

    void write(Tx tx) throws SQLException;
}
