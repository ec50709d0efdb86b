package dev.tallystick.engine;

import dev.tallystick.keys.Scope;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;

/** Those in whose name jobs may be started. Asked by whoever starts them later, in the transaction that does. */
@FunctionalInterface
public interface Submitters {

    /** For those who keep no members. */
    Submitters ALL = (tx, scope) -> true;

    boolean include(Tx tx, Scope scope) throws SQLException;
}
