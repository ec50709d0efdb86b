package dev.tallystick.broker.accept;

import dev.tallystick.broker.model.CompletionWatch;
import dev.tallystick.broker.model.Member;
import dev.tallystick.keys.StoredResponse;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** Starts the jobs for messages to a workflow. Thread-safe. */
public interface AcceptHook {

    /** The plan for a submission to a workflow. */
    sealed interface Plan {

        /**
         * The job can be started.
         *
         * @param answer the fields that the first answer and every repeat have beyond an {@link AcceptedMessage}; kept with the
         *     key
         * @param job what the hook will start
         */
        record Ready(StoredResponse answer, StartableJob job) implements Plan {}

        /**
         * The job cannot be started in the current state. The broker still checks whether the key was accepted before, and
         * answers this only if it was not.
         */
        record Refused(Rejection why) implements Plan {}
    }

    /** A job that a hook has made. The broker only passes it on. */
    interface StartableJob {}

    /**
     * Makes, before any transaction, the job to start. Called once for every submission that is not a known duplicate.
     *
     * @param id of the message, and so of the job
     */
    Plan plan(UUID id, Member member, Submission submission);

    /**
     * Writes the jobs in the transaction that accepts them, where their keys are already bound; an exception rolls all of it
     * back. May be called again with the same jobs in another transaction after a rollback.
     *
     * @param jobs at least one
     */
    void start(Tx tx, List<StartableJob> jobs) throws SQLException;

    /** The job is durable. Must be short: others wait meanwhile. Not called if the process dies first. */
    default void started(StartableJob job) {}

    /** The ends of the jobs that this hook starts, for subscribers. */
    default CompletionWatch ends() {
        return CompletionWatch.NONE;
    }

    /** For a broker without workflows. */
    AcceptHook NO_WORKFLOWS = new AcceptHook() {

        @Override
        public Plan plan(UUID id, Member member, Submission submission) {
            return new Plan.Refused(new Rejection(
                    Rejection.Code.UNKNOWN_WORKFLOW,
                    "there is no workflow '" + submission.envelope().to().reference() + "' here"));
        }

        @Override
        public void start(Tx tx, List<StartableJob> jobs) {
            throw new IllegalStateException("no job was ever planned");
        }
    };
}
