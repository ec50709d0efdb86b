package dev.tallystick.engine;

/** What came of a {@link Move}. */
sealed interface Moved {

    /** All of it is durable. */
    record Done() implements Moved {}

    /** The results are recorded and change nothing, for the job has closed; nothing was dispatched. */
    record JobClosed() implements Moved {}

    /** A result met a full ledger and was not recorded; the job is about to be ended for that. */
    record Refused() implements Moved {}

    /** Nothing was written: somebody else has the lease. */
    record LeaseLost() implements Moved {}
}
