package dev.tallystick.engine.seal;

/** Whether a job can be proven. */
public sealed interface JobProof {

    /**
     * The log has the job.
     *
     * @param receipt the receipt, as JSON in UTF-8
     */
    record Proven(byte[] receipt) implements JobProof {}

    /** A part of it is on its way into the log. */
    record Pending() implements JobProof {}

    /** The log has the job, and what opens its entries was lost with a database that was restored. */
    record Lost() implements JobProof {}

    /**
     * The log knows nothing of such a job in this mesh.
     *
     * @param sealing whether jobs are sealed at all
     */
    record Unsealed(boolean sealing) implements JobProof {}
}
