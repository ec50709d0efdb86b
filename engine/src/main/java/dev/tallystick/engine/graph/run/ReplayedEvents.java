package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.model.Identity;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The events that a job of a graph starts with: another job received them, and they are replayed instead of awaited. */
interface ReplayedEvents {

    /** No events: the job does everything itself. */
    ReplayedEvents NONE = transition -> Optional.empty();

    /** The recorded event; empty if there is none, so it has to happen again. */
    Optional<Recalled> recall(Identity transition);

    /**
     * An event that the other job received.
     *
     * @param input the input of its activity, if any
     */
    record Recalled(NodeEvent told, byte @Nullable [] input) {}
}
