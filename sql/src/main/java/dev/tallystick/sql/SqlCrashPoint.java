package dev.tallystick.sql;

import dev.tallystick.core.CrashPoint;

/** The places in this module where a crash matters. */
public enum SqlCrashPoint implements CrashPoint {
    /** The work is done inside the transaction, but COMMIT is not sent: nothing happened. */
    BEFORE_COMMIT,
    /** COMMIT was confirmed, but the caller does not know yet: it happened. */
    AFTER_COMMIT,
    /** A migration ran inside its transaction and is not committed. */
    MIGRATION_APPLIED
}
