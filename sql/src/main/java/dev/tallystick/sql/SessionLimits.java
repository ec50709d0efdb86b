package dev.tallystick.sql;

import java.time.Duration;

/**
 * How long a transaction may make us, and others, wait.
 *
 * @param statement the longest run time of a statement, including waits for locks
 * @param idle the longest time that the session may be idle inside the transaction while others may wait for its locks. After
 *     that, a process that is frozen, or whose machine is gone, loses its session and its locks
 */
public record SessionLimits(Duration statement, Duration idle) {

    /** For our own statements, which look up rows by key and follow one another at once. */
    public static final SessionLimits OWN = new SessionLimits(Duration.ofSeconds(30), Duration.ofSeconds(5));

    /** For our own statements that scan whole tables: migrations and checks. */
    public static final SessionLimits LONG = new SessionLimits(Duration.ofHours(1), OWN.idle());

    /** For transactions that run user code. */
    public static final SessionLimits USERS = new SessionLimits(Duration.ofMinutes(5), Duration.ofMinutes(5));

    /** Allowance for the network, so that the server gives up a statement before we give up the server. */
    private static final Duration ON_THE_WAY = Duration.ofSeconds(5);

    public SessionLimits {
        if (statement.toMillis() < 1 || idle.toMillis() < 1) {
            throw new IllegalArgumentException("a session limit must be at least one millisecond");
        }
    }

    /**
     * After this long without a reply we consider the database gone: a machine without power does not close its connections.
     */
    Duration silence() {
        return statement.plus(ON_THE_WAY.compareTo(statement) < 0 ? ON_THE_WAY : statement);
    }
}
