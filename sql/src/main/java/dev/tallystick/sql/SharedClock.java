package dev.tallystick.sql;

import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The clock for decisions that processes share: when a schedule is due, when a job may begin, how long a token is valid. It is
 * the database's clock, because a host's clock may be wrong.
 */
@FunctionalInterface
public interface SharedClock {

    SharedClock DATABASE = new ClockStore()::now;

    Instant now(Tx tx) throws SQLException;

    /** A clock set by a test. */
    static SharedClock of(InstantSource clock) {
        return tx -> clock.instant();
    }
}
