package dev.tallystick.client;

import dev.tallystick.core.Destination;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Addresses that the server calls: for messages to a topic or their owner, and for the ends of jobs. Thread-safe. */
public final class Webhooks {

    private static final String PATH = "/v1/webhooks";

    private final Transport transport;

    Webhooks(Transport transport) {
        this.transport = transport;
    }

    /**
     * A webhook.
     *
     * @param source what it is called for; a workflow means the ends of its jobs
     * @param endedAt since when it gets no new calls, because its topic was deleted; null while it is active
     */
    public record Webhook(
            UUID id,
            Destination source,
            URI url,
            String member,
            Instant createdAt,
            @Nullable Instant endedAt) {

        static Webhook of(Fields fields) {
            return new Webhook(
                    fields.text("id", UUID::fromString),
                    fields.text("source", Destination::parse),
                    fields.text("url", URI::create),
                    fields.text("member"),
                    fields.text("created_at", Instant::parse),
                    fields.optionalText("ended_at", Instant::parse));
        }
    }

    /**
     * A new webhook.
     *
     * @param secret signs each call, in hex; it is not shown again
     */
    public record Registered(Webhook webhook, String secret) {

        /** Without the secret, because it may be logged. */
        @Override
        public String toString() {
            return webhook.toString();
        }
    }

    /**
     * An abandoned call.
     *
     * @param error how the last attempt ended
     */
    public record DeadCall(
            UUID message, UUID webhook, String member, URI url, int attempts, String error, Instant givenUpAt) {

        static DeadCall of(Fields fields) {
            return new DeadCall(
                    fields.text("message_id", UUID::fromString),
                    fields.text("webhook_id", UUID::fromString),
                    fields.text("member"),
                    fields.text("url", URI::create),
                    fields.count("attempts"),
                    fields.text("error"),
                    fields.text("given_up_at", Instant::parse));
        }
    }

    /**
     * Some abandoned calls.
     *
     * @param next what to continue after; null on the last page
     */
    public record DeadCalls(List<DeadCall> calls, @Nullable String next) {}

    /**
     * Registers an address to be called from now on; a member has at most 100. This is not repeated when its answer was lost,
     * because each call would then come twice: after an {@link OutcomeUnknownException} look into {@link #list()}, delete the
     * webhook, and register again.
     */
    public Registered register(Destination source, URI url) {
        Body body = new Body().with("source", source.toString()).with("url", url.toString());
        return transport.ask(
                Request.post(PATH, body.json()).unrepeatable(),
                registered -> new Registered(Webhook.of(registered.fields("webhook")), registered.text("secret")));
    }

    /** The member's own webhooks; for an admin, those of all members. */
    public List<Webhook> list() {
        return transport.ask(Request.get(PATH), answer -> answer.list("webhooks", Webhook::of));
    }

    /** Deletes a webhook, including its calls that are on their way. */
    public void delete(UUID webhook) {
        transport.tell(Request.delete(PATH + "/" + webhook));
    }

    /**
     * Abandoned calls: of the member's own webhooks; of all for admins and observers.
     *
     * @param after the {@code next} of the previous page; null for the first page
     */
    public DeadCalls dead(@Nullable String after, int limit) {
        Query query = new Query(PATH + "/dead").with("after", after).with("limit", limit);
        return transport.ask(
                query.read(), page -> new DeadCalls(page.list("calls", DeadCall::of), page.optionalText("next")));
    }

    /** Makes an abandoned call again. */
    public void redrive(DeadCall call) {
        redrive(call.webhook(), call.message());
    }

    /** As {@link #redrive(DeadCall)}, for callers that have only these values. */
    public void redrive(UUID webhook, UUID message) {
        transport.ask(
                Request.post(PATH + "/" + webhook + "/messages/" + message + "/redrive", null),
                answer -> answer.about("webhook_id", webhook).about("message_id", message));
    }
}
