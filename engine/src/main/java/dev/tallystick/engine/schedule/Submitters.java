package dev.tallystick.engine.schedule;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.keys.Scope;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** The members in whose name jobs may be started later on. */
@FunctionalInterface
public interface Submitters {

    /** For engines without members. */
    Submitters ALL = (tx, scope) -> true;

    boolean include(Tx tx, Scope scope) throws SQLException;

    /**
     * Counts a job against its member's budget. Repeats of the same job cost nothing. Not called inside a transaction.
     *
     * @return how long to wait if the budget is used up
     */
    default Optional<Duration> spend(ScopedKey key, Fingerprint request, int bytes) {
        return Optional.empty();
    }

    /** Whether a job was accepted under this key before the database was restored, and is lost. Not called in a transaction. */
    default boolean isLost(ScopedKey key) {
        return false;
    }
}
