package dev.tallystick.sql;

import java.time.Duration;

/**
 * How long a transaction may keep us, and others, waiting.
 *
 * @param statement so long a statement may run; a lock that it waits for counts
 * @param idle so long the session may do nothing inside the transaction, while others may wait for its locks. A process that is
 *     frozen, or whose machine is gone, loses its session and its locks then
 */
public record SessionLimits(Duration statement, Duration idle) {

    /** For our own statements, which look rows up by their keys and follow one another at once. */
    public static final SessionLimits OWN = new SessionLimits(Duration.ofSeconds(30), Duration.ofSeconds(5));

    /** For our own statements that go through whole tables: migrations and checks. */
    public static final SessionLimits LONG = new SessionLimits(Duration.ofHours(1), OWN.idle());

    /** For transactions in which a user's code runs. */
    public static final SessionLimits USERS = new SessionLimits(Duration.ofMinutes(5), Duration.ofMinutes(5));

    /** What an answer may take on its way, so that the server gives a statement up before we give the server up. */
    private static final Duration ON_THE_WAY = Duration.ofSeconds(5);

    public SessionLimits {
        if (statement.toMillis() < 1 || idle.toMillis() < 1) {
            throw new IllegalArgumentException("a limit of a session is a millisecond at least");
        }
    }

    /** After so long without a word the database is taken for gone: a machine without power says no good-bye. */
    Duration silence() {
        return statement.plus(ON_THE_WAY.compareTo(statement) < 0 ? ON_THE_WAY : statement);
    }
}
