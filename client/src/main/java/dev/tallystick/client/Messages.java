package dev.tallystick.client;

import dev.tallystick.client.mint.KeyMint;
import dev.tallystick.core.Destination;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import dev.tallystick.core.api.MessageApi;
import dev.tallystick.core.api.MessageApi.MessageAccepted;
import dev.tallystick.core.api.MessageApi.MessageView;
import dev.tallystick.core.api.MessageApi.SendMessage;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Messages to topics, members and queues, and the history of accepted messages. A null destination means everything in the
 * mesh, which only admins and observers may read. Thread-safe.
 */
public final class Messages {

    /** The position before the first. */
    public static final long BEGINNING = 0;

    /** How many messages {@link #sendAll} takes at once. */
    public static final int MOST_AT_ONCE = MessageApi.MOST_AT_ONCE;

    static final String PATH = "/v1/messages";
    private static final String HISTORY = "/v1/history";

    private final Transport transport;

    Messages(Transport transport) {
        this.transport = transport;
    }

    /**
     * A message to send.
     *
     * @param body a text, or any other JSON
     * @param meta further data about it
     * @param mentions members to notify
     * @param replyTo the message that it answers; null for none
     */
    public record NewMessage(
            Destination to,
            Json body,
            Priority priority,
            Json.ObjectValue meta,
            List<String> mentions,
            @Nullable UUID replyTo) {

        public NewMessage {
            mentions = List.copyOf(mentions);
        }

        public static NewMessage to(Destination destination, Json body) {
            return new NewMessage(destination, body, Priority.DEFAULT, new Json.ObjectValue(Map.of()), List.of(), null);
        }

        /** For every subscriber. */
        public static NewMessage toTopic(String topic, Json body) {
            return to(new Destination(Destination.Kind.TOPIC, topic), body);
        }

        public static NewMessage toMember(String member, Json body) {
            return to(new Destination(Destination.Kind.MEMBER, member), body);
        }

        /** For the first consumer to take it. */
        public static NewMessage toQueue(String queue, Json body) {
            return to(new Destination(Destination.Kind.QUEUE, queue), body);
        }

        public NewMessage withPriority(Priority other) {
            return new NewMessage(to, body, other, meta, mentions, replyTo);
        }

        public NewMessage withMeta(Json.ObjectValue other) {
            return new NewMessage(to, body, priority, other, mentions, replyTo);
        }

        public NewMessage mentioning(String... members) {
            return new NewMessage(to, body, priority, meta, List.of(members), replyTo);
        }

        public NewMessage inReplyTo(UUID message) {
            return new NewMessage(to, body, priority, meta, mentions, message);
        }
    }

    /**
     * A message that the server has accepted.
     *
     * @param history its entry in the history
     * @param historyAvailable whether it can still be read; its key is remembered for longer
     * @param duplicate whether it was accepted under this key before
     */
    public record Sent(UUID message, UUID history, boolean historyAvailable, boolean duplicate) {

        static Sent of(MessageAccepted accepted, IdempotencyKey key) {
            return Transport.about(
                    new Sent(
                            accepted.messageId(),
                            accepted.historyId(),
                            accepted.historyAvailable(),
                            accepted.duplicate()),
                    accepted.clientMessageId(),
                    key);
        }
    }

    /**
     * A message and its key, for {@link #sendAll}.
     *
     * @param key any key, also one that does not fit into a header
     * @param traceParent the W3C trace context of its sender; null for none
     */
    public record Keyed(
            NewMessage message,
            IdempotencyKey key,
            @Nullable String traceParent) {

        public Keyed(NewMessage message, IdempotencyKey key) {
            this(message, key, null);
        }
    }

    /** The outcome of one of the messages of {@link #sendAll}. */
    public sealed interface Outcome {

        /** The message is durable at the server. */
        record Accepted(Sent sent) implements Outcome {}

        /** The type of the exception says what to do about this message, as if {@link #send} had thrown it. */
        record NotAccepted(TallyException why) implements Outcome {}
    }

    /**
     * A message as it was accepted.
     *
     * @param replyTo the message that it answers, according to its sender; null for none
     * @param key the sender's key; null if the server itself sent it
     */
    public record Message(
            UUID id,
            String from,
            Destination to,
            Json body,
            Priority priority,
            Json.ObjectValue meta,
            List<String> mentions,
            @Nullable String replyTo,
            @Nullable String key,
            Instant acceptedAt) {

        static Message of(MessageView view) {
            Json.ObjectValue meta = view.meta();
            return new Message(
                    view.messageId(),
                    view.from(),
                    view.to(),
                    view.message(),
                    view.priority(),
                    meta == null ? new Json.ObjectValue(Map.of()) : meta,
                    view.mentions(),
                    view.replyTo(),
                    view.clientMessageId(),
                    view.acceptedAt());
        }
    }

    /** A message at its position in the history. */
    public record Entry(long position, Message message) {

        static Entry of(MessageApi.Page.Entry entry) {
            return new Entry(entry.position(), Message.of(entry.message()));
        }
    }

    /**
     * Some of the history.
     *
     * @param next the position to continue from, whether or not there is more by now
     */
    public record Page(List<Entry> entries, long next) {}

    /** Sends a message. It is durable when this returns. The same key again is the same message. */
    public Sent send(NewMessage message, IdempotencyKey key) {
        return transport.ask(
                Request.post(PATH, body(message)).under(key.value()).submitting(),
                MessageAccepted.class,
                sent -> Sent.of(sent, key));
    }

    static SendMessage body(NewMessage message) {
        return new SendMessage(
                message.to().toString(),
                message.body(),
                message.priority(),
                message.meta().members().isEmpty() ? null : message.meta(),
                message.replyTo(),
                message.mentions(),
                null);
    }

    /**
     * Sends up to {@value #MOST_AT_ONCE} messages in one request, and returns their outcomes in the same order. Each succeeds
     * or fails by itself. The server takes messages to one destination in this order, and stops at the first one that it cannot
     * take now: the later ones to that destination are then unavailable as well.
     *
     * <p>An outcome is not repeated here: send the messages that are unavailable or unknown again, under their keys.
     *
     * @throws TallyException if the whole request failed: the type says what to do about all messages
     * @throws IllegalArgumentException if there are too many, or two with the same key
     */
    public List<Outcome> sendAll(List<Keyed> messages) {
        return new MessageBatch(messages).send(transport);
    }

    /** As {@link #send(NewMessage, IdempotencyKey)}, with a key from a mint, which settles it once it is sent. */
    public Sent send(NewMessage message, KeyMint mint, String purpose) {
        return mint.under(purpose, key -> send(message, key));
    }

    /** A message that the token's member sent or received, or that every member may read. */
    public Message find(UUID message) {
        return transport.ask(
                Request.get(PATH + "/" + message),
                MessageView.class,
                found -> Transport.about(Message.of(found), found.messageId(), message));
    }

    /** The messages accepted after a position, in order. Continue from {@link Page#next()} to miss nothing. */
    public Page history(@Nullable Destination destination, long after, int limit) {
        return page(new Query(HISTORY).with("destination", destination), after, limit);
    }

    /** Messages that mention the token's member. */
    public Page mentions(long after, int limit) {
        return page(new Query("/v1/mentions"), after, limit);
    }

    /**
     * Searches the mesh's messages by their words, shortly after they were accepted.
     *
     * @param words all must occur; {@code "a phrase"}, {@code -without}
     */
    public Page search(String words, long after, int limit) {
        return page(new Query("/v1/search").with("words", words), after, limit);
    }

    /** Messages accepted after a position, as they come. Close it. */
    public EventStream<Entry> follow(@Nullable Destination destination, long after) {
        MessageStream stream = new MessageStream(
                transport,
                position -> new Query(HISTORY + "/stream")
                        .with("destination", destination)
                        .with("after", position)
                        .read(),
                MessageStream.SILENCE);
        return new Feed<>(stream, after);
    }

    private Page page(Query query, long after, int limit) {
        return transport.ask(
                query.with("after", after).with("limit", limit).read(),
                MessageApi.Page.class,
                page -> new Page(page.entries().stream().map(Entry::of).toList(), page.next()));
    }
}
