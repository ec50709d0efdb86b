package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.model.Failures;
import dev.tallystick.engine.model.Fault;
import dev.tallystick.engine.record.Question;
import dev.tallystick.workflow.Retry;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** An event that an activity of a graph receives. */
public sealed interface NodeEvent {

    /**
     * Work that was started as often as allowed and never came back has failed. If handling the failure does not come back
     * either, the job fails.
     */
    static NodeEvent neverCameBack(int begun, Retry retry) {
        String reason = Failures.neverCameBack(begun);
        return begun < retry.attempts() + DueNodes.MAX_BEGUN ? new Failure(reason) : new Refused(reason);
    }

    /** The work is done. */
    record Output(byte @Nullable [] bytes) implements NodeEvent {}

    /** The work failed for good. */
    record Failure(Fault fault) implements NodeEvent {

        public Failure(String reason) {
            this(Fault.of(reason));
        }

        String reason() {
            return fault.error();
        }
    }

    /**
     * The job fails, whatever the graph says.
     *
     * @param output the output of the work, if it is done
     */
    record Refused(String reason, byte @Nullable [] output) implements NodeEvent {

        Refused(String reason) {
            this(reason, null);
        }
    }

    /**
     * An attempt failed; the posting falls due again later. This is not a Leg 2.
     *
     * @param begun whether the attempt was started at all; if not, it does not count
     */
    record Again(Duration after, Fault fault, boolean begun) implements NodeEvent {

        public Again(Duration after, Fault fault) {
            this(after, fault, true);
        }

        /** The process that leased the work cannot do it. */
        static Again elsewhere(Duration after) {
            return new Again(after, Fault.of("its graph is not registered where it was claimed"), false);
        }
    }

    /**
     * No data: it is the engine's turn to do what the node says, or a wait has ended.
     *
     * @param awaited the signal that a process without the graph may have delivered; null if the node awaits none
     */
    record Due(@Nullable String awaited) implements NodeEvent {

        Due() {
            this(null);
        }

        boolean asksPeople() {
            return awaited != null && Question.answersTask(awaited);
        }
    }

    /** A wait has taken a signal. */
    record Signal(byte[] payload) implements NodeEvent {}
}
