package dev.tallystick.keys;

import dev.tallystick.core.CrashPoint;

/** The places in this module where a crash matters. */
public enum KeysCrashPoint implements CrashPoint {
    /** The rows of an accept are written, but its transaction is open: nothing happened. */
    ACCEPT_WRITTEN,
    /** A reservation is durable, but its handler has not begun. */
    RESERVED,
    /** A handler has returned, but its answer is not recorded. Any effect outside the database happened. */
    HANDLED,
    /** A handler has failed, but that is not recorded. */
    HANDLER_FAILED,
    /** Effect and answer are written in one open transaction: neither happened. */
    ANSWER_WRITTEN,
    /** The answer is durable, but the caller does not know. */
    ANSWERED,
    /** The reservations of a dead owner are marked, but the transaction is open: nothing happened. */
    RECOVERY_WRITTEN,
    /** Expired rows are deleted, but the transaction is open: nothing happened. */
    SWEEP_WRITTEN
}
