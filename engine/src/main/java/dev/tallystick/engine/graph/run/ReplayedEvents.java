package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.model.Identity;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The events that a job of a graph starts with: another job received them, and they are replayed instead of awaited. */
interface ReplayedEvents {

    /** No events: the job does everything itself. */
    ReplayedEvents NONE = transition -> Optional.empty();

    /** The recorded event; empty if there is none, so it has to happen again. */
    Optional<Recalled> recall(Identity transition);

    /** The transitions to take next: each node receives its events in the order of the record, so some are held back. */
    default List<NodeTransition> inOrder(List<NodeTransition> next) {
        return next;
    }

    /** The transitions that wait for their turn. */
    default List<NodeTransition> heldBack() {
        return List.of();
    }

    /**
     * An event that the other job received.
     *
     * @param input the input of its activity, if any
     */
    record Recalled(NodeEvent told, byte @Nullable [] input) {}
}
