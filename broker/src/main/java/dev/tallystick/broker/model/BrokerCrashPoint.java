package dev.tallystick.broker.model;

import dev.tallystick.core.CrashPoint;

/** Where a crash matters in this module. */
public enum BrokerCrashPoint implements CrashPoint {
    /** A submission has passed every check and nothing is written; its budget is spent. */
    BUDGET_SPENT,
    /** The messages are written, the transaction is open: nothing happened. */
    MESSAGES_WRITTEN,
    /** The jobs are written as well, the transaction is open: nothing happened. */
    JOBS_WRITTEN,
    /** The message is durable, its sender has no answer. */
    ACCEPTED,
    /** Positions are about to be assigned and committed: none are. */
    NUMBERED,
    /** A webhook was called and that is not recorded: it will be called again. */
    WEBHOOK_CALLED,
    /** Job ends are announced, the transaction is open: they will be announced again. */
    ANNOUNCED,
    /** Old history is deleted, the transaction is open: nothing happened. */
    HISTORY_DELETED
}
