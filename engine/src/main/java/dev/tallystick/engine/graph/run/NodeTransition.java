package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.ResultDigest;
import dev.tallystick.workflow.JobId;
import org.jspecify.annotations.Nullable;

/** A Leg 2 of a graph's activity, ready to be planned: its posting is current, and its job is locked. */
record NodeTransition(
        Lease posting,
        NodeEvent told,
        @Nullable String owner,
        @Nullable ResultDigest resultDigest) {

    NodeTransition(Lease posting, NodeEvent told, @Nullable String owner) {
        this(posting, told, owner, null);
    }

    ActivityId activity() {
        return posting.activity();
    }

    JobId job() {
        return posting.job();
    }
}
