package dev.tallystick.engine;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.keys.Scope;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** Those in whose name jobs may be started, by whoever starts them later. */
@FunctionalInterface
public interface Submitters {

    /** For those who keep no members. */
    Submitters ALL = (tx, scope) -> true;

    boolean include(Tx tx, Scope scope) throws SQLException;

    /**
     * Counts a job against the budget of whoever it is started for. The same job costs nothing when it is asked for again.
     * Not called inside of a transaction.
     *
     * @return how long to wait if the budget is used up
     */
    default Optional<Duration> spend(ScopedKey key, Fingerprint request, int bytes) {
        return Optional.empty();
    }
}
