package dev.tallystick.broker;

import dev.tallystick.keys.StoredResponse;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Starts the jobs for messages to a workflow. Thread-safe. */
public interface AcceptHook {

    /** The plan for a submission to a workflow. */
    sealed interface Plan {

        /**
         * The job can be started.
         *
         * @param answer the fields that the first answer and every repeat have beyond an {@link AcceptedMessage}; kept with the
         *     key
         * @param memo data that the hook wants back when it starts the job; not stored
         */
        record Ready(StoredResponse answer, @Nullable String memo) implements Plan {}

        /**
         * The job cannot be started in the current state. The broker still checks whether the key was accepted before, and
         * answers this only if it was not.
         */
        record Refused(Rejection why) implements Plan {}
    }

    /** A job about to be started. Its ID is also its message's ID. */
    record PlannedJob(UUID id, Member member, Submission submission, Plan.Ready plan) {}

    /** Decides, before any transaction, what to start. Called once for every submission that is not a known duplicate. */
    Plan plan(Member member, Submission submission);

    /**
     * Writes the jobs in the transaction that accepts them, where their keys are already bound; an exception rolls all of it
     * back. May be called again with the same jobs in another transaction after a rollback.
     *
     * @param jobs at least one
     */
    void start(Tx tx, List<PlannedJob> jobs) throws SQLException;

    /** The job is durable. Must be short: others wait meanwhile. Not called if the process dies first. */
    default void started(PlannedJob job) {}

    /** The ends of the jobs that this hook starts, for subscribers. */
    default EndWatch ends() {
        return EndWatch.NONE;
    }

    /** For a broker without workflows. */
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
