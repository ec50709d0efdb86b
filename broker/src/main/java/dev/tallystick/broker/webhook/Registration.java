package dev.tallystick.broker.webhook;

/** The result of registering a webhook. */
public sealed interface Registration {

    /** The address is called from now on. The secret is never shown again. */
    record Registered(Webhook webhook, String secret) implements Registration {}

    /** Nothing changed: the member has {@code most} webhooks, the maximum. */
    record TooMany(int most) implements Registration {}

    /** Nothing changed: there is no such topic. */
    record UnknownTopic() implements Registration {}

    /** Nothing changed: the owner is not a member any more. */
    record NoSuchMember() implements Registration {}
}
