package dev.tallystick.daemon.outbox;

import dev.tallystick.core.CrashPoint;

/** Where a crash of the daemon matters in the outbox. */
public enum OutboxCrashPoint implements CrashPoint {
    BEFORE_INSERT,
    INSERTED_NOT_COMMITTED,
    INSERT_COMMITTED,
    BEFORE_SETTLING,
    SETTLED_NOT_COMMITTED,
    SETTLEMENT_COMMITTED,
    BEFORE_REQUEUE,
    REQUEUED_NOT_COMMITTED,
    REQUEUE_COMMITTED
}
