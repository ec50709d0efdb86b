package dev.tallystick.broker;

import dev.tallystick.keys.StoredResponse;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Starts the jobs that messages to a workflow ask for. Thread-safe. */
public interface AcceptHook {

    /** What a submission to a workflow will come to. */
    sealed interface Plan {

        /**
         * It can be started.
         *
         * @param answer what the first answer and every repeat has beyond an {@link AcceptedMessage}; kept with the key
         * @param memo what the hook wants to know again when it starts the job; kept nowhere
         */
        record Ready(StoredResponse answer, @Nullable String memo) implements Plan {}

        /**
         * It cannot be started as things are now. The broker still looks whether the key was accepted before, and answers
         * this only if it was not.
         */
        record Refused(Rejection why) implements Plan {}
    }

    /** A job about to be started. Its id is also that of its message. */
    record PlannedJob(UUID id, Member member, Submission submission, Plan.Ready plan) {}

    /** Decides, before any transaction, what to start. Called once for every submission that is not a known duplicate. */
    Plan plan(Member member, Submission submission);

    /**
     * Writes the jobs, in the transaction that accepts them. Their keys are bound in it already; what this throws undoes all of
     * it. May be called again with the same jobs, in another transaction, after this one was rolled back.
     *
     * @param jobs at least one
     */
    void start(Tx tx, List<PlannedJob> jobs) throws SQLException;

    /** The job is durable. Short: others wait meanwhile. Not called if the process dies before. */
    default void started(PlannedJob job) {}

    /** The ends of the jobs that it starts, for those who want to hear of them. */
    default EndWatch ends() {
        return EndWatch.NONE;
    }

    /** For a broker of messages alone. */
    AcceptHook NO_WORKFLOWS = new AcceptHook() {

        @Override
        public Plan plan(Member member, Submission submission) {
            return new Plan.Refused(new Rejection(
                    Rejection.Code.UNKNOWN_WORKFLOW,
                    "there is no workflow '" + submission.envelope().to().reference() + "' here"));
        }

        @Override
        public void start(Tx tx, List<PlannedJob> jobs) {
            throw new IllegalStateException("no job was ever planned");
        }
    };
}
