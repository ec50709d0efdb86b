package dev.tallystick.sql;

import java.time.Duration;

/**
 * The settings at the beginning of a transaction.
 *
 * @param sql sent before the first statement, in the same round trip
 * @param ownLimits sent before the first statement after the last user statement
 * @param silence if a statement gets no reply for this long, its connection is broken
 * @param ownSilence the same for statements after the last user statement
 */
record Opening(String sql, String ownLimits, Duration silence, Duration ownSilence) {

    /** For a transaction that a caller has begun and limited. */
    static final Opening NONE = new Opening("", "", SessionLimits.USERS.silence(), SessionLimits.USERS.silence());
}
