package dev.tallystick.client;

import dev.tallystick.client.mint.KeyMint;
import dev.tallystick.core.Destination;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
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

    private static final String PATH = "/v1/messages";
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
     * @param historyAvailable whether it can still be read; its key is remembered for longer
     * @param duplicate whether it was accepted under this key before
     */
    public record Sent(UUID message, boolean historyAvailable, boolean duplicate) {}

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

        static Message of(Fields fields) {
            return new Message(
                    fields.text("message_id", UUID::fromString),
                    fields.text("from"),
                    fields.text("to", Destination::parse),
                    fields.json("message"),
                    fields.text("priority", Priority::parse),
                    metaOf(fields),
                    fields.texts("mentions"),
                    fields.optionalText("reply_to"),
                    fields.optionalText("client_message_id"),
                    fields.text("accepted_at", Instant::parse));
        }
    }

    private static Json.ObjectValue metaOf(Fields fields) {
        Json.ObjectValue meta = fields.objectIfThere("meta", Fields::object);
        return meta == null ? new Json.ObjectValue(Map.of()) : meta;
    }

    /** A message at its position in the history. */
    public record Entry(long position, Message message) {

        static Entry of(Fields fields) {
            return new Entry(fields.number("position"), Message.of(fields.fields("message")));
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
        Body body = new Body()
                .with("to", message.to().toString())
                .with("message", message.body())
                .with("priority", message.priority().word())
                .with("mentions", message.mentions());
        if (message.replyTo() != null) {
            body.with("reply_to", message.replyTo().toString());
        }
        if (!message.meta().members().isEmpty()) {
            body.with("meta", message.meta());
        }
        return transport.ask(
                Request.post(PATH, body.json()).under(key.value()),
                sent -> new Sent(
                        sent.about("client_message_id", key.value()).text("message_id", UUID::fromString),
                        sent.flag("history_available"),
                        sent.flag("duplicate")));
    }

    /** As {@link #send(NewMessage, IdempotencyKey)}, with a key from a mint, which settles it once it is sent. */
    public Sent send(NewMessage message, KeyMint mint, String purpose) {
        return mint.under(purpose, key -> send(message, key));
    }

    /** A message that the token's member sent or received, or that every member may read. */
    public Message find(UUID message) {
        return transport.ask(
                Request.get(PATH + "/" + message), answer -> Message.of(answer.about("message_id", message)));
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
                page -> new Page(page.list("entries", Entry::of), page.number("next")));
    }
}
