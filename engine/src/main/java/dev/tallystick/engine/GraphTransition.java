package dev.tallystick.engine;

import org.jspecify.annotations.Nullable;

/** A Leg 2 of a graph's activity that is about to be planned: its posting stands, and its job is locked. */
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
