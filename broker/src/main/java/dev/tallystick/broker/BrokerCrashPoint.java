package dev.tallystick.broker;

import dev.tallystick.core.CrashPoint;

/** Where dying matters in this module. */
public enum BrokerCrashPoint implements CrashPoint {
    /** A submission has passed every check, nothing of it is written; what it cost of the budget is spent. */
    CHECKED,
    /** The rows of messages are written, the transaction is open: nothing happened. */
    MESSAGES_WRITTEN,
    /** So are the jobs. */
    JOBS_WRITTEN,
    /** The message is durable, its sender does not know. */
    ACCEPTED,
    /** Positions are about to be given and committed at once: they are not. */
    NUMBERED,
    /** A webhook has been called, which is not recorded: it will be called again. */
    CALLED,
    /** The ends of jobs are announced, the transaction is open: they are still to be announced. */
    ANNOUNCED,
    /** Old history is deleted, the transaction is open: nothing happened. */
    FORGOTTEN
}
