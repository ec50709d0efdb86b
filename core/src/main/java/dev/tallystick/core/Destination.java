package dev.tallystick.core;

import java.util.Locale;

/** Where a submission goes, written {@code kind:reference}, as in {@code topic:alerts}. */
public record Destination(Kind kind, String reference) {

    public enum Kind {
        /** Everyone who subscribed. */
        TOPIC,
        /** One authenticated party. */
        MEMBER,
        /** Whichever consumer takes it. */
        QUEUE,
        /** A new job. */
        WORKFLOW;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public Destination {
        if (reference.isEmpty()) {
            throw new IllegalArgumentException("a destination names its " + kind.word());
        }
        Fingerprint.requireHashable("a destination", reference);
    }

    public static Destination parse(String text) {
        for (Kind kind : Kind.values()) {
            String prefix = kind.word() + ":";
            if (text.startsWith(prefix)) {
                return new Destination(kind, text.substring(prefix.length()));
            }
        }
        throw new IllegalArgumentException("a destination begins with topic:, member:, queue: or workflow:");
    }

    @Override
    public String toString() {
        return kind.word() + ":" + reference;
    }
}
