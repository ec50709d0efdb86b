package dev.tallystick.core.api;

import dev.tallystick.core.Envelope;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Jobs: submit, find, follow, signal, cancel, run again. */
public interface JobApi {

    /** A submission. Version, attributes and time are not part of the request that the key identifies. */
    record SubmitJob(
            String workflow,
            @Nullable Json input,
            @Values(least = 1) @Nullable Integer version,
            @Values(ifMissing = "\"next\"") @Nullable Priority priority,
            @Nullable Instant notBefore,
            Json.@Nullable ObjectValue attributes) {

        /** The request that its key identifies. */
        public Envelope envelope() {
            return Envelope.ofJob(workflow, input == null ? Json.ofNull() : input)
                    .withPriority(priority == null ? Priority.DEFAULT : priority);
        }
    }

    /**
     * A job that the server has accepted.
     *
     * @param historyAvailable whether the message that made the job can still be read; the key is remembered for longer
     * @param duplicate whether it was accepted under this key before
     * @param promise the signed promise that the job will be in the log, which {@code tally verify} checks; null if the server
     *     that accepted the job does not seal
     */
    record JobAccepted(
            UUID jobId,
            String workflow,
            int version,
            String key,
            String fingerprint,
            Instant acceptedAt,
            boolean historyAvailable,
            boolean duplicate,
            @Nullable RawJson promise) {}

    /**
     * A job.
     *
     * @param status {@code open}, or how it ended
     * @param error why it did not complete; null otherwise
     * @param closedAt null while it is open
     * @param parent the job that waits for it; null for none
     * @param continuedFrom the job that it continues; null for none
     * @param key the key it was submitted under; null if it was started otherwise, or if its message is gone
     * @param lastError the last failure in it; null for none, and in lists
     */
    record JobView(
            UUID jobId,
            String workflow,
            int version,
            Priority priority,

            @Values(oneOf = {"open", "completed", "failed", "cancelled", "timed_out", "continued"})
            String status,

            @Nullable String error,
            Instant createdAt,
            @Nullable Instant closedAt,
            @Nullable UUID parent,
            @Nullable UUID continuedFrom,
            @Nullable String key,
            Map<String, String> attributes,
            @Nullable LastFailure lastError) {

        /**
         * The last failure that has not been followed by a success.
         *
         * @param activity {@code $main} is the body itself
         * @param at null if only the error was kept
         * @param stackTrace with all causes, shortened; null if there is none
         */
        public record LastFailure(
                String path,
                String activity,
                String error,
                @Nullable Instant at,
                @Nullable String stackTrace) {}

        public boolean isOpen() {
            return status.equals("open");
        }
    }

    /**
     * Some jobs, the newest first.
     *
     * @param next the job to continue from; null on the last page
     */
    record JobList(List<JobView> jobs, @Nullable UUID next) implements Paged {

        @Override
        public String parameter() {
            return "before";
        }
    }

    /**
     * The state of a job.
     *
     * @param output what it returned; null unless it completed
     * @param error why it did not complete; null otherwise
     */
    record JobResult(
            UUID jobId,

            @Values(oneOf = {"open", "completed", "failed", "cancelled", "timed_out", "continued"})
            String status,

            @Nullable RawJson output,
            @Nullable String error) {}

    /**
     * What a job waits for.
     *
     * @param waits the oldest first, at most 100
     * @param hasMore whether it waits for more than that
     */
    record JobWhy(UUID jobId, String state, List<Wait> waits, boolean hasMore) {

        /**
         * One thing that a job waits for.
         *
         * @param mover what would move it
         */
        public record Wait(String what, Instant since, String mover) {}
    }

    record SendSignal(@Nullable Json payload) {}

    /**
     * A signal that a job has received.
     *
     * @param duplicate whether it was sent under this key before
     */
    record SignalSent(UUID jobId, String signal, boolean duplicate) {}

    /**
     * A job that was asked to end.
     *
     * @param status its status just before: {@code open}, or how the job had already ended
     */
    record JobStatus(UUID jobId, String status) {}

    /**
     * A job of which nothing personal is left.
     *
     * @param erasedAt when it was erased first
     * @param erasedBy the member that asked for it
     */
    record JobErased(UUID jobId, Instant erasedAt, String erasedBy) {}

    /**
     * Some events, in the order of positions.
     *
     * @param next the position to continue from, whether or not there is more by now
     */
    record EventPage(UUID jobId, List<Event> events, long next) {

        /**
         * An event of a job.
         *
         * @param position its place among the job's events, from 1, without gaps
         * @param event {@code accepted}, {@code entered} (an activity), {@code signalled}, {@code returned} (an activity received
         *     its result), {@code failed} (that result was a failure) or {@code closed}
         * @param path the activity; null for an event of the job itself
         * @param name the activity or the signal, or null
         * @param outcome how it ended; null if it did not
         * @param error why it failed; null if it did not
         */
        public record Event(
                long position,
                String event,
                @Nullable String path,
                @Nullable String name,
                @Nullable String kind,
                @Nullable String outcome,
                @Nullable String error,
                Instant at) {}
    }

    /**
     * Some activities, in the order in which they were entered.
     *
     * @param next what to continue after; null on the last page
     */
    record JobActivities(
            UUID jobId, List<Activity> activities, @Nullable String next) implements Paged {

        /**
         * An activity of a job.
         *
         * @param ledger its 15 digits
         * @param returnedAt null until it is done
         * @param error why it failed; null otherwise
         */
        public record Activity(
                String path,
                String name,
                String kind,
                String ledger,
                int attempts,
                Instant enteredAt,
                @Nullable Instant returnedAt,
                @Nullable String error) {}
    }

    /**
     * From where to run a job again.
     *
     * @param step its name, or its place if several have that name
     */
    record ForkJob(String step) {}

    /**
     * A job that repeats another one.
     *
     * @param continuedFrom the other job
     * @param duplicate whether it was started under this key before
     */
    record JobAgain(UUID jobId, UUID continuedFrom, String key, boolean duplicate) {}

    /**
     * A failed job that no other job waits for.
     *
     * @param ceiling whether a ledger was full, which no repetition fixes
     * @param redrivenAs the job that replaces it; null while there is none
     */
    record Letter(
            UUID jobId,
            String workflow,
            int version,
            String reason,
            boolean ceiling,
            Instant raisedAt,
            @Nullable UUID redrivenAs) {}

    /**
     * Some dead letters that have not been redriven, the oldest first.
     *
     * @param next the job to continue after; null on the last page
     */
    record Letters(List<Letter> letters, @Nullable UUID next) implements Paged {}

    /**
     * A job that replaces a failed one.
     *
     * @param continuedFrom the failed job
     */
    record Redriven(UUID jobId, UUID continuedFrom) {}
}
