package dev.tallystick.exchange;

import dev.tallystick.core.CrashPoint;

/** The places in this module where a crash matters, in the order in which a message passes them. */
public enum ExchangeCrashPoint implements CrashPoint {
    /** The producer has recorded a posting and has not published it. */
    POSTING_RECORDED,
    /** A due posting is counted as published, and is not published. */
    REPLAY_COUNTED,
    /** The transport has taken messages, and the sender does not know. */
    PUBLISHED,
    /** The consumer has recorded postings, and has neither sent a receipt nor told the transport. */
    POSTING_RECEIVED,
    /** A handler has returned, and its transaction is open: nothing happened. */
    HANDLED,
    /** A handler's work, outcome and result are durable, and the result is not published. */
    OUTCOME_RECORDED,
    /** The producer has recorded receipts or results, and has neither acknowledged them nor told the transport. */
    RESULT_RECORDED,
    /** The consumer has recorded acknowledgements, and has not told the transport. */
    ACKNOWLEDGEMENT_RECORDED,
    /** A failure of a handler is recorded. */
    FAILURE_RECORDED
}
