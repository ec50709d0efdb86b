package dev.tallystick.engine;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a job of a graph begins with: things that another job was told, and that are told again instead of being waited for. */
interface GraphPast {

    /** Nothing: the job does everything itself. */
    GraphPast NONE = transition -> Optional.empty();

    /** Empty if it is not on record, and so has to come about once more. */
    Optional<Recalled> recall(Identity transition);

    /**
     * What the other job was told.
     *
     * @param input what its activity got, if anything
     */
    record Recalled(GraphTold told, byte @Nullable [] input) {}
}
