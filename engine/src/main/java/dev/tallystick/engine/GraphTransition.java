package dev.tallystick.engine;

import org.jspecify.annotations.Nullable;

/** A Leg 2 of a graph's activity, ready to be planned: its posting is current, and its job is locked. */
record GraphTransition(
        Lease posting,
        GraphTold told,
        @Nullable String owner,
        @Nullable Said said) {

    GraphTransition(Lease posting, GraphTold told, @Nullable String owner) {
        this(posting, told, owner, null);
    }

    ActivityId activity() {
        return posting.activity();
    }

    JobId job() {
        return posting.job();
    }
}
