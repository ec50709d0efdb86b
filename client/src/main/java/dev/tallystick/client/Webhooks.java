package dev.tallystick.client;

import dev.tallystick.core.Destination;
import dev.tallystick.core.api.WebhookApi.CallRedriven;
import dev.tallystick.core.api.WebhookApi.DeadCallList;
import dev.tallystick.core.api.WebhookApi.DeadCallView;
import dev.tallystick.core.api.WebhookApi.NewWebhook;
import dev.tallystick.core.api.WebhookApi.Registered;
import dev.tallystick.core.api.WebhookApi.WebhookList;
import dev.tallystick.core.api.WebhookApi.WebhookView;
import java.net.URI;
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
     * Registers an address to be called from now on; a member has at most 100. This is not repeated when its answer was lost,
     * because each call would then come twice: after an {@link OutcomeUnknownException} look into {@link #list()}, delete the
     * webhook, and register again.
     */
    public Registered register(Destination source, URI url) {
        NewWebhook body = new NewWebhook(source.toString(), url.toString());
        return transport.ask(Request.post(PATH, body).unrepeatable(), Registered.class);
    }

    /** The member's own webhooks; for an admin, those of all members. */
    public List<WebhookView> list() {
        return transport.ask(Request.get(PATH), WebhookList.class).webhooks();
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
    public DeadCallList dead(@Nullable String after, int limit) {
        Query query = new Query(PATH + "/dead").with("after", after).with("limit", limit);
        return transport.ask(query.read(), DeadCallList.class);
    }

    /** Makes an abandoned call again. */
    public void redrive(DeadCallView call) {
        redrive(call.webhookId(), call.messageId());
    }

    /** As {@link #redrive(DeadCallView)}, for callers that have only these values. */
    public void redrive(UUID webhook, UUID message) {
        transport.ask(
                Request.post(PATH + "/" + webhook + "/messages/" + message + "/redrive"),
                CallRedriven.class,
                redriven -> Transport.about(redriven, redriven, new CallRedriven(webhook, message)));
    }
}
