package dev.tallystick.broker.message;

/** The result of acknowledging, extending or releasing a delivery. */
public enum Acknowledge {
    /** Done, by this call or an earlier one. */
    DONE,
    /** Another consumer has taken the delivery meanwhile. Nothing was written. */
    LEASE_LOST,
    /** There is no such delivery. */
    UNKNOWN
}
