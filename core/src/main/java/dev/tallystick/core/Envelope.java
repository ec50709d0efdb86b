package dev.tallystick.core;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything that distinguishes one submission from another, and so everything that its {@link Fingerprint} covers. A
 * workflow's version, its attributes and its earliest start time are not part of it.
 *
 * @param replyTo the id of the message that this one answers, or null
 * @param meta an object; empty if there is none
 * @param mentions members to notify, in any order
 */
public record Envelope(
        Destination to,
        @Nullable String replyTo,
        Priority priority,
        Json.ObjectValue meta,
        List<String> mentions,
        Body body) {

    /** The content of the submission. The same text has different bytes as plain text and as a JSON string. */
    public sealed interface Body {

        /** The bytes that are hashed. */
        byte[] bytes();

        record Text(String text) implements Body {

            public Text {
                if (Unicode.hasLoneSurrogate(text)) {
                    throw new IllegalArgumentException("a lone surrogate is not a character");
                }
            }

            @Override
            public byte[] bytes() {
                return text.getBytes(StandardCharsets.UTF_8);
            }
        }

        record Document(Json json) implements Body {

            @Override
            public byte[] bytes() {
                return json.canonicalBytes();
            }
        }
    }

    public Envelope {
        if (replyTo != null) {
            if (replyTo.isEmpty()) {
                throw new IllegalArgumentException("reply-to must not be empty; omit it instead");
            }
            Fingerprint.requireHashable("a reply-to", replyTo);
        }
        mentions = List.copyOf(mentions);
        mentions.forEach(Envelope::requireMention);
        if (to.kind() == Destination.Kind.WORKFLOW && body instanceof Body.Text) {
            throw new IllegalArgumentException("the input of a workflow must be JSON");
        }
    }

    /** With the default priority and no optional fields. */
    public static Envelope of(Destination to, Body body) {
        return new Envelope(to, null, Priority.DEFAULT, new Json.ObjectValue(Map.of()), List.of(), body);
    }

    /** A job. Its envelope is the same through the library, over HTTP and through a daemon. */
    public static Envelope ofJob(String workflow, Json input) {
        return of(new Destination(Destination.Kind.WORKFLOW, workflow), new Body.Document(input));
    }

    public Envelope withReplyTo(String id) {
        return new Envelope(to, id, priority, meta, mentions, body);
    }

    public Envelope withPriority(Priority other) {
        return new Envelope(to, replyTo, other, meta, mentions, body);
    }

    public Envelope withMeta(Json.ObjectValue other) {
        return new Envelope(to, replyTo, priority, other, mentions, body);
    }

    public Envelope withMentions(List<String> others) {
        return new Envelope(to, replyTo, priority, meta, others, body);
    }

    private static void requireMention(String mention) {
        if (mention.isEmpty()) {
            throw new IllegalArgumentException("a mention must name a member");
        }
        if (mention.indexOf(',') >= 0) {
            throw new IllegalArgumentException("a mention must not contain a comma");
        }
        Fingerprint.requireHashable("a mention", mention);
    }
}
