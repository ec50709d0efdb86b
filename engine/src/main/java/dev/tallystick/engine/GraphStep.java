package dev.tallystick.engine;

import org.jspecify.annotations.Nullable;

/**
 * What the holder of a posting says of it.
 *
 * @param owner who leases at once what comes of it, or null if that is for whoever comes first
 */
record GraphStep(Lease posting, GraphTold told, @Nullable String owner) {

    JobId job() {
        return posting.job();
    }

    /** For a job that has closed: there is no further attempt. */
    GraphStep afterClosing() {
        return told instanceof GraphTold.Again again
                ? new GraphStep(posting, new GraphTold.Failure(again.reason()), owner)
                : this;
    }

    GraphTransition transition() {
        return new GraphTransition(posting, told, owner);
    }
}
