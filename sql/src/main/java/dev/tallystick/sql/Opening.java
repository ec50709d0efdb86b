package dev.tallystick.sql;

import java.time.Duration;

/**
 * How a transaction begins.
 *
 * @param sql goes out before the first statement, in its round trip
 * @param ownLimits goes out before the first statement after the last one of a user's
 * @param silence after so long without an answer to a statement its connection is broken
 * @param ownSilence the same for statements after the last one of a user's
 */
record Opening(String sql, String ownLimits, Duration silence, Duration ownSilence) {

    /** For a transaction that somebody else has begun, and has set the limits of. */
    static final Opening NONE = new Opening("", "", SessionLimits.USERS.silence(), SessionLimits.USERS.silence());
}
