package dev.tallystick.core;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that makes one submission differ from another, and so all that its {@link Fingerprint} covers. A workflow's version,
 * its attributes and the time before which it must not start are not part of it.
 *
 * @param replyTo the id of the message that this one answers, or null
 * @param meta an object; empty if there is none
 * @param mentions members to be told, in any order
 */
public record Envelope(
        Destination to,
        @Nullable String replyTo,
        Priority priority,
        Json.ObjectValue meta,
        List<String> mentions,
        Body body) {

    /** What the submission carries. The same text means different bytes as words and as a JSON string. */
    public sealed interface Body {

        /** The bytes that are hashed. */
        byte[] bytes();

        record Text(String text) implements Body {

            public Text {
                if (Unicode.hasLoneSurrogate(text)) {
                    throw new IllegalArgumentException("half of a surrogate pair is not a character");
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
                throw new IllegalArgumentException("an empty reply-to would be the same as none");
            }
            Fingerprint.requireHashable("a reply-to", replyTo);
        }
        mentions = List.copyOf(mentions);
        mentions.forEach(Envelope::requireMention);
        if (to.kind() == Destination.Kind.WORKFLOW && body instanceof Body.Text) {
            throw new IllegalArgumentException("the input of a workflow is JSON");
        }
    }

    /** With the default priority and nothing optional. */
    public static Envelope of(Destination to, Body body) {
        return new Envelope(to, null, Priority.DEFAULT, new Json.ObjectValue(Map.of()), List.of(), body);
    }

    /** A job, which has the same envelope whether it comes through the library, over HTTP or by way of a daemon. */
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
            throw new IllegalArgumentException("a mention names a member");
        }
        if (mention.indexOf(',') >= 0) {
            throw new IllegalArgumentException("a mention has no comma: it would read as two");
        }
        Fingerprint.requireHashable("a mention", mention);
    }
}
