package dev.tallystick.broker;

import dev.tallystick.core.Destination;

/**
 * Where deliveries wait to be taken, written {@code kind:name}: a member's own, a queue's, or a webhook's.
 *
 * @param name of a member and of a webhook the id
 */
public record Inbox(Kind kind, String name) {

    /** Whose it is. */
    public enum Kind {
        /** One member takes from it. */
        MEMBER,
        /** Whoever comes first takes from it. */
        QUEUE,
        /** The broker itself takes from it, and calls out. */
        WEBHOOK
    }

    public Inbox {
        Names.require("inbox", kind == Kind.MEMBER ? Member.nameIn(name) : name);
    }

    public static Inbox of(Member member) {
        return member(member.id());
    }

    static Inbox member(String id) {
        return new Inbox(Kind.MEMBER, id);
    }

    public static Inbox queue(String name) {
        return new Inbox(Kind.QUEUE, name);
    }

    static Inbox webhook(String id) {
        return new Inbox(Kind.WEBHOOK, id);
    }

    static Inbox parse(String text) {
        for (Kind kind : Kind.values()) {
            String prefix = word(kind) + ":";
            if (text.startsWith(prefix)) {
                return new Inbox(kind, text.substring(prefix.length()));
            }
        }
        throw new IllegalArgumentException("an inbox begins with member:, queue: or webhook:, not '" + text + "'");
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
