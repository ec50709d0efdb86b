package dev.tallystick.daemon.delivery;

import dev.tallystick.core.CrashPoint;

/** Where a crash of the daemon matters while it sends. */
public enum DeliveryCrashPoint implements CrashPoint {
    /** The rows are in flight on disk, and nothing was sent. */
    BEFORE_SEND,
    /** The server has answered, and nothing of that is on disk. */
    ANSWERED
}
