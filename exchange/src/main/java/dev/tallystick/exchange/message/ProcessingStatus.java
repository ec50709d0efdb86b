package dev.tallystick.exchange.message;

/** What the consumer's handler has decided. */
public enum ProcessingStatus {
    /** Nothing yet. */
    PENDING,
    /** The handler has refused the posting and given a reason. */
    REJECTED,
    /** The handler has done the work. */
    OK
}
