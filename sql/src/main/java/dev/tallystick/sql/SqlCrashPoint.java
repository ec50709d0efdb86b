package dev.tallystick.sql;

import dev.tallystick.core.CrashPoint;

/** Where dying matters in this module. */
public enum SqlCrashPoint implements CrashPoint {
    /** The work is done inside the transaction, COMMIT is not sent: nothing happened. */
    BEFORE_COMMIT,
    /** COMMIT was answered, the caller was not: it happened, and the caller does not know. */
    AFTER_COMMIT,
    /** A migration ran inside its transaction and is not committed. */
    MIGRATION_APPLIED
}
