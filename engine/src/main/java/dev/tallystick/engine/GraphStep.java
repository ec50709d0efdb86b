package dev.tallystick.engine;

import org.jspecify.annotations.Nullable;

/**
 * What the holder of a posting says of it.
 *
 * @param owner who leases at once what comes of it, or null if that is for whoever comes first
 * @param said a digest of what a worker elsewhere said, or null if the engine says this itself
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

    /** For a job that has closed: there is no further attempt. */
    GraphStep afterClosing() {
        return told instanceof GraphTold.Again again
                ? new GraphStep(posting, new GraphTold.Failure(again.fault()), owner, said)
                : this;
    }

    /** What can be written of it for certain. */
    GraphStep refused(String reason) {
        byte[] output = told instanceof GraphTold.Output brought ? brought.bytes() : null;
        return new GraphStep(posting, new GraphTold.Refused(reason, output), owner, said);
    }

    GraphTransition transition() {
        return new GraphTransition(posting, told, owner, said);
    }
}
