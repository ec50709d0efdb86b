package dev.tallystick.engine;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What an activity of a graph is told. */
sealed interface GraphTold {

    /** Work was begun as often as it may be. If not even what handles that comes back, nothing can come of it. */
    static GraphTold neverCameBack(int begun, Retry retry) {
        String reason = Failures.neverCameBack(begun);
        return begun < retry.attempts() + GraphDues.MAX_BEGUN ? new Failure(reason) : new Refused(reason);
    }

    /** The work is done, and this is what it brought. */
    record Output(byte @Nullable [] bytes) implements GraphTold {}

    /** The work failed for good. */
    record Failure(Fault fault) implements GraphTold {

        Failure(String reason) {
            this(Fault.of(reason));
        }

        String reason() {
            return fault.error();
        }
    }

    /**
     * Nothing can come of it, whatever the graph says: its job fails.
     *
     * @param output what the work brought, if it is done
     */
    record Refused(String reason, byte @Nullable [] output) implements GraphTold {

        Refused(String reason) {
            this(reason, null);
        }
    }

    /**
     * An attempt failed; the posting is due again after a while. No Leg 2 comes of it.
     *
     * @param begun whether it was begun at all; if not, it does not count
     */
    record Again(Duration after, Fault fault, boolean begun) implements GraphTold {

        Again(Duration after, Fault fault) {
            this(after, fault, true);
        }

        /** Whoever leased it does not know how to do it. */
        static Again elsewhere(Duration after) {
            return new Again(after, Fault.of("its graph is not registered where it was claimed"), false);
        }
    }

    /**
     * Nothing: it is the engine's turn to do what the node says, or a wait has come to its end.
     *
     * @param awaited the signal that it may have been given, by somebody who does not know the graph; null if it awaits none
     */
    record Due(@Nullable String awaited) implements GraphTold {

        /** It is the engine's turn. */
        Due() {
            this(null);
        }

        boolean asksPeople() {
            return awaited != null && Question.answersTask(awaited);
        }
    }

    /** A signal that a wait has taken. */
    record Signal(byte[] payload) implements GraphTold {}
}
