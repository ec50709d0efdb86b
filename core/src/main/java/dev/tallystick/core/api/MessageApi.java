package dev.tallystick.core.api;

import dev.tallystick.core.Destination;
import dev.tallystick.core.Envelope;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Messages: send them, alone or many at once, read the history, and take deliveries. */
public interface MessageApi {

    /**
     * A message to send.
     *
     * @param message a string is text; anything else is JSON
     * @param replyTo the id of a message; not checked for existence, because the message may be gone by now
     * @param mentions members of the mesh, who may then read the message whatever its destination
     */
    record SendMessage(
            String to,
            Json message,
            @Values(ifMissing = "\"next\"") @Nullable Priority priority,
            Json.@Nullable ObjectValue meta,
            @Nullable UUID replyTo,
            @Nullable List<String> mentions,
            @Nullable String clientMessageId) {

        /**
         * The request that its key identifies.
         *
         * @throws IllegalArgumentException if it is not a message that can be sent
         */
        public Envelope envelope() {
            Destination destination = Destination.parse(to);
            boolean isText = message instanceof Json.StringValue && destination.kind() != Destination.Kind.WORKFLOW;
            return new Envelope(
                    destination,
                    replyTo == null ? null : replyTo.toString(),
                    priority == null ? Priority.DEFAULT : priority,
                    meta == null ? new Json.ObjectValue(Map.of()) : meta,
                    mentions == null ? List.of() : mentions,
                    isText
                            ? new Envelope.Body.Text(((Json.StringValue) message).value())
                            : new Envelope.Body.Document(message));
        }
    }

    /**
     * A message that the server has accepted.
     *
     * @param historyId its entry in the history
     * @param historyAvailable whether the message can still be read; the key is remembered for longer
     * @param duplicate whether it was accepted under this key before
     */
    record MessageAccepted(
            UUID messageId, String clientMessageId, UUID historyId, boolean historyAvailable, boolean duplicate) {}

    /**
     * A message as it was accepted.
     *
     * @param meta null for none
     * @param replyTo the message that it answers, according to its sender; null for none
     * @param clientMessageId the sender's key; null if the server itself sent it
     */
    record MessageView(
            UUID messageId,
            String from,
            Destination to,
            Json message,
            Priority priority,
            Json.@Nullable ObjectValue meta,
            @Nullable String replyTo,
            List<String> mentions,
            @Nullable String clientMessageId,
            Instant acceptedAt) {}

    /**
     * Some of the history.
     *
     * @param next the position to continue from, whether or not there is more by now
     */
    record Page(List<Entry> entries, long next) {

        /** An entry of the history. */
        public record Entry(long position, UUID historyId, MessageView message) {}
    }

    /** The most messages in one request. */
    int MOST_AT_ONCE = 500;

    /**
     * Many messages to send.
     *
     * @param messages at most {@value #MOST_AT_ONCE}, with different keys; those to one destination are taken in this order
     */
    record SendMessages(List<Tried<MessageOfBatch>> messages) {}

    /**
     * As {@link SendMessage}.
     *
     * @param clientMessageId the key of this message
     * @param traceparent the W3C trace context of its sender; the request's if missing
     */
    record MessageOfBatch(
            String to,
            Json message,
            @Values(ifMissing = "\"next\"") @Nullable Priority priority,
            Json.@Nullable ObjectValue meta,
            @Nullable UUID replyTo,
            @Nullable List<String> mentions,
            @Nullable String clientMessageId,
            @Nullable String traceparent) {

        public static MessageOfBatch of(SendMessage alone, String key, @Nullable String traceparent) {
            return new MessageOfBatch(
                    alone.to(),
                    alone.message(),
                    alone.priority(),
                    alone.meta(),
                    alone.replyTo(),
                    alone.mentions(),
                    key,
                    traceparent);
        }

        public SendMessage alone() {
            return new SendMessage(to, message, priority, meta, replyTo, mentions, clientMessageId);
        }
    }

    /**
     * The outcomes of many messages.
     *
     * @param outcomes for each message, in the same order: what {@code POST /v1/messages} answers, or a problem
     */
    record MessagesSent(
            @Values(recordOrProblem = MessageAccepted.class) List<RawJson> outcomes) {}

    /** The most deliveries that are taken at once. */
    int MOST_TAKEN = 500;

    /**
     * Which deliveries to take.
     *
     * @param queue the queue to take from, instead of the caller's own inbox
     */
    record Take(
            @Nullable String queue,

            @Values(least = 1, most = MOST_TAKEN, ifMissing = "10") @Nullable
            Integer max,

            @Values(least = 1, most = 12 * 60 * 60, ifMissing = "30") @Nullable
            Integer leaseSeconds,

            @Values(least = 0, most = 60, ifMissing = "0") @Nullable
            Integer waitSeconds) {}

    record Taken(List<Leased> deliveries) {

        /**
         * A message under a lease.
         *
         * @param fence distinguishes this lease from others
         * @param attempt counted from 1
         */
        public record Leased(
                String inbox, UUID messageId, long fence, int attempt, Instant leasedUntil, MessageView message) {}
    }

    /**
     * A delivery that the caller holds.
     *
     * @param inbox as it came with the delivery
     */
    record Held(String inbox, UUID messageId, long fence) {}

    /**
     * Deliveries to settle.
     *
     * @param seconds for an extension, how long to keep them; for a release, how long to delay them
     */
    record Settle(List<Held> deliveries, @Nullable Integer seconds) {}

    /** One outcome for each: {@code done}, {@code lease_lost} or {@code unknown}. */
    record Settled(
            @Values(oneOf = {"done", "lease_lost", "unknown"})
            List<String> outcomes) {}
}
