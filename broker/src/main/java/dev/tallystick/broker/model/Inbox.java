package dev.tallystick.broker.model;

import dev.tallystick.core.Destination;
import dev.tallystick.core.Names;

/**
 * Where deliveries wait, written {@code kind:name}: the inbox of a member, a queue or a webhook.
 *
 * @param name the name of a queue; the ID of a member or webhook
 */
public record Inbox(Kind kind, String name) {

    /** The kind of consumer. */
    public enum Kind {
        /** One member consumes it. */
        MEMBER,
        /** Any member consumes it; the first one wins. */
        QUEUE,
        /** The broker itself consumes it and calls the webhook. */
        WEBHOOK
    }

    public Inbox {
        Names.require("inbox", kind == Kind.MEMBER ? Member.nameIn(name) : name);
    }

    public static Inbox of(Member member) {
        return member(member.id());
    }

    public static Inbox member(String id) {
        return new Inbox(Kind.MEMBER, id);
    }

    public static Inbox queue(String name) {
        return new Inbox(Kind.QUEUE, name);
    }

    public static Inbox webhook(String id) {
        return new Inbox(Kind.WEBHOOK, id);
    }

    public static Inbox parse(String text) {
        for (Kind kind : Kind.values()) {
            String prefix = word(kind) + ":";
            if (text.startsWith(prefix)) {
                return new Inbox(kind, text.substring(prefix.length()));
            }
        }
        throw new IllegalArgumentException("an inbox must begin with member:, queue: or webhook:, not '" + text + "'");
    }

    @Override
    public String toString() {
        return word(kind) + ":" + name;
    }

    private static String word(Kind kind) {
        return switch (kind) {
            case MEMBER -> Destination.Kind.MEMBER.word();
            case QUEUE -> Destination.Kind.QUEUE.word();
            case WEBHOOK -> "webhook";
        };
    }
}
