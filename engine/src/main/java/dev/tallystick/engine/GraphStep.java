package dev.tallystick.engine;

import org.jspecify.annotations.Nullable;

/**
 * What the holder of a posting reports about it.
 *
 * @param owner the process that immediately leases the resulting work, or null to leave it to any process
 * @param said a digest of a remote worker's report, or null if the engine itself reports this
 */
record GraphStep(
        Lease posting,
        GraphTold told,
        @Nullable String owner,
        @Nullable Said said) {

    GraphStep(Lease posting, GraphTold told, @Nullable String owner) {
        this(posting, told, owner, null);
    }

    JobId job() {
        return posting.job();
    }

    /** The step for a closed job: there is no further attempt. */
    GraphStep afterClosing() {
        return told instanceof GraphTold.Again again
                ? new GraphStep(posting, new GraphTold.Failure(again.fault()), owner, said)
                : this;
    }

    /** The part of the step that can certainly be written. */
    GraphStep refused(String reason) {
        byte[] output = told instanceof GraphTold.Output brought ? brought.bytes() : null;
        return new GraphStep(posting, new GraphTold.Refused(reason, output), owner, said);
    }

    GraphTransition transition() {
        return new GraphTransition(posting, told, owner, said);
    }
}
