package dev.tallystick.keys;

import dev.tallystick.core.CrashPoint;

/** Where dying matters in this module. */
public enum KeysCrashPoint implements CrashPoint {
    /** The rows of an accept are written, its transaction is open: nothing happened. */
    ACCEPT_WRITTEN,
    /** A reservation is durable, its handler has not begun. */
    RESERVED,
    /** A handler has returned, its answer is not recorded. Its effect happened, if it has one outside the database. */
    HANDLED,
    /** A handler has failed, which is not recorded. */
    HANDLER_FAILED,
    /** Effect and answer are written in one transaction, which is open: neither happened. */
    ANSWER_WRITTEN,
    /** The answer is durable, the caller does not know. */
    ANSWERED,
    /** The reservations of a dead owner are marked, the transaction is open: nothing happened. */
    RECOVERY_WRITTEN,
    /** Expired rows are deleted, the transaction is open: nothing happened. */
    SWEEP_WRITTEN
}
