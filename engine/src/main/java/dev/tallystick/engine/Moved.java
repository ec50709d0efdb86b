package dev.tallystick.engine;

/** The result of a {@link Move}. */
sealed interface Moved {

    /** The whole move is durable. */
    record Done() implements Moved {}

    /** All of it is durable, and the body need not wait: what it parked for was done before. */
    record DueAgain() implements Moved {}

    /** The results are recorded but change nothing, because the job has closed; nothing was dispatched. */
    record JobClosed() implements Moved {}

    /** A result met a full ledger and was not recorded; the job is about to be ended for that reason. */
    record Refused() implements Moved {}

    /** Nothing was written: another process holds the lease. */
    record LeaseLost() implements Moved {}
}
