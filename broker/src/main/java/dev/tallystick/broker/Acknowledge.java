package dev.tallystick.broker;

/** What came of acknowledging, keeping or giving back a delivery. */
public enum Acknowledge {
    /** Done, now or when the same was asked before. */
    DONE,
    /** Somebody else has taken the delivery meanwhile. Nothing was written. */
    LEASE_LOST,
    /** There is no such delivery. */
    UNKNOWN
}
