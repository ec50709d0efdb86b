package dev.tallystick.engine.model;

/** The result of a {@link Checkpoint}. */
public sealed interface CheckpointResult {

    /** The whole checkpoint is durable. */
    record Done() implements CheckpointResult {}

    /** All of it is durable, and the body need not wait: what it parked for was done before. */
    record DueAgain() implements CheckpointResult {}

    /** The results are recorded but change nothing, because the job has closed; nothing was dispatched. */
    record JobClosed() implements CheckpointResult {}

    /** A result met a full ledger and was not recorded; the job is about to be ended for that reason. */
    record Refused() implements CheckpointResult {}

    /** Nothing was written: another process holds the lease. */
    record LeaseLost() implements CheckpointResult {}
}
