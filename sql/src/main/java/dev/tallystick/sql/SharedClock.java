package dev.tallystick.sql;

import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The clock that decides whatever processes share: when a schedule is due, when a job may begin, how long a token is good. It is
 * the database's, for the clock of a host may be wrong.
 */
@FunctionalInterface
public interface SharedClock {

    SharedClock DATABASE = new ClockStore()::now;

    Instant now(Tx tx) throws SQLException;

    /** A clock that a test sets. */
    static SharedClock of(InstantSource clock) {
        return tx -> clock.instant();
    }
}
