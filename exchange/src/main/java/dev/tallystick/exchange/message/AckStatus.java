package dev.tallystick.exchange.message;

/** How far the two sides have acknowledged each other's messages, in the order in which that happens. */
public enum AckStatus {
    /** The producer has recorded the posting, and has no receipt for it. */
    NACKED_POSTING,
    /** The consumer has recorded the posting. */
    ACKED_POSTING,
    /** The consumer has recorded the result, and the producer has not acknowledged it. */
    NACKED_RESULT,
    /** The producer has recorded the result. */
    ACKED_RESULT
}
