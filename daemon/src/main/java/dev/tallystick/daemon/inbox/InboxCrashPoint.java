package dev.tallystick.daemon.inbox;

import dev.tallystick.core.CrashPoint;

/** Where a crash of the daemon matters while it receives. */
public enum InboxCrashPoint implements CrashPoint {
    BEFORE_INSERT,
    INSERTED_NOT_COMMITTED,
    INSERT_COMMITTED,
    ACKNOWLEDGED
}
