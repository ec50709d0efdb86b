package dev.tallystick.engine;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What an activity of a graph is told. */
sealed interface GraphTold {

    /** The work is done, and this is what it brought. */
    record Output(byte @Nullable [] bytes) implements GraphTold {}

    /** The work failed for good. */
    record Failure(String reason) implements GraphTold {}

    /** An attempt failed; the posting is due again after a while. No Leg 2 comes of it. */
    record Again(Duration after, String reason) implements GraphTold {}

    /**
     * Nothing: it is the engine's turn to do what the node says, or a wait has come to its end.
     *
     * @param awaited whether it may have been given a signal, by somebody who does not know the graph
     */
    record Due(boolean awaited) implements GraphTold {}

    /** A signal that a wait has taken. */
    record Signal(byte[] payload) implements GraphTold {}
}
