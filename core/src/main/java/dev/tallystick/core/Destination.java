package dev.tallystick.core;

import java.util.Locale;

/** The target of a submission, written {@code kind:reference}, as in {@code topic:alerts}. */
public record Destination(Kind kind, String reference) {

    public enum Kind {
        /** All subscribers. */
        TOPIC,
        /** One authenticated party. */
        MEMBER,
        /** The first consumer that takes it. */
        QUEUE,
        /** A new job. */
        WORKFLOW;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public Destination {
        if (reference.isEmpty()) {
            throw new IllegalArgumentException("a destination must name its " + kind.word());
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
        throw new IllegalArgumentException("a destination must begin with topic:, member:, queue: or workflow:");
    }

    @Override
    public String toString() {
        return kind.word() + ":" + reference;
    }
}
