package dev.tallystick.core.api;

import dev.tallystick.core.Destination;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Webhooks, and calls that were abandoned. */
public interface WebhookApi {

    /**
     * A webhook to register.
     *
     * @param source {@code topic:NAME}, {@code workflow:NAME}, or {@code member:} and the caller's own name
     */
    record NewWebhook(String source, String url) {}

    /**
     * A webhook.
     *
     * @param source what it is called for; a workflow means the ends of its jobs
     * @param endedAt since when it gets no new calls, because its topic was deleted; null while it is active
     */
    record WebhookView(
            UUID id,
            Destination source,
            URI url,
            String member,
            Instant createdAt,
            @Nullable Instant endedAt) {}

    /**
     * A new webhook.
     *
     * @param secret signs each call, in hex; it is not shown again
     */
    record Registered(WebhookView webhook, String secret) {

        /** Without the secret, because it may be logged. */
        @Override
        public String toString() {
            return webhook.toString();
        }
    }

    record WebhookList(List<WebhookView> webhooks) {}

    /**
     * An abandoned call.
     *
     * @param error how the last attempt ended
     */
    record DeadCallView(
            UUID messageId, UUID webhookId, String member, URI url, int attempts, String error, Instant givenUpAt) {}

    /**
     * Some abandoned calls.
     *
     * @param next what to continue after; null on the last page
     */
    record DeadCallList(List<DeadCallView> calls, @Nullable String next) implements Paged {}

    record CallRedriven(UUID webhookId, UUID messageId) {}
}
