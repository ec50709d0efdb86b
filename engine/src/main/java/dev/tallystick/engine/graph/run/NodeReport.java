package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.ResultDigest;
import dev.tallystick.workflow.JobId;
import org.jspecify.annotations.Nullable;

/**
 * What the holder of a posting reports about it.
 *
 * @param owner the process that immediately leases the resulting work, or null to leave it to any process
 * @param resultDigest a digest of a remote worker's report, or null if the engine itself reports this
 */
public record NodeReport(
        Lease posting,
        NodeEvent told,
        @Nullable String owner,
        @Nullable ResultDigest resultDigest) {

    public NodeReport(Lease posting, NodeEvent told, @Nullable String owner) {
        this(posting, told, owner, null);
    }

    JobId job() {
        return posting.job();
    }

    /** The step for a closed job: there is no further attempt. */
    NodeReport afterClosing() {
        return told instanceof NodeEvent.Again again
                ? new NodeReport(posting, new NodeEvent.Failure(again.fault()), owner, resultDigest)
                : this;
    }

    /** The part of the step that can certainly be written. */
    NodeReport refused(String reason) {
        byte[] output = told instanceof NodeEvent.Output brought ? brought.bytes() : null;
        return new NodeReport(posting, new NodeEvent.Refused(reason, output), owner, resultDigest);
    }

    NodeTransition transition() {
        return new NodeTransition(posting, told, owner, resultDigest);
    }
}
