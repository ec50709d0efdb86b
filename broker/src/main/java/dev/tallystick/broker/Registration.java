package dev.tallystick.broker;

/** What came of an attempt to register a webhook. */
public sealed interface Registration {

    /** The address is called from now on. This is the only time that the secret is seen. */
    record Registered(Webhook webhook, String secret) implements Registration {}

    /** Nothing changed: the member has {@code most} webhooks, and may not have more. */
    record TooMany(int most) implements Registration {}

    /** Nothing changed: there is no such topic. */
    record UnknownTopic() implements Registration {}

    /** Nothing changed: the owner is not a member any more. */
    record NoSuchMember() implements Registration {}
}
