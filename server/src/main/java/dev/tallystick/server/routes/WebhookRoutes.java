package dev.tallystick.server.routes;

import dev.tallystick.broker.model.Member;
import dev.tallystick.broker.webhook.Registration;
import dev.tallystick.broker.webhook.Webhook;
import dev.tallystick.broker.webhook.Webhooks;
import dev.tallystick.core.Destination;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Ids;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.WebhookApi.NewWebhook;
import dev.tallystick.core.api.WebhookApi.Registered;
import dev.tallystick.core.api.WebhookApi.WebhookList;
import dev.tallystick.core.api.WebhookApi.WebhookView;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.Route;
import java.net.URI;
import java.util.List;
import java.util.UUID;

/** Webhooks: addresses that are called for messages to a topic or to their owner, and for the ends of a workflow's jobs. */
public final class WebhookRoutes {

    private final Webhooks webhooks;
    private final BudgetGuard budgetGuard;
    private final Ids ids;

    public WebhookRoutes(Webhooks webhooks, BudgetGuard budgetGuard, Ids ids) {
        this.webhooks = webhooks;
        this.budgetGuard = budgetGuard;
        this.ids = ids;
    }

    public List<Route> routes() {
        return List.of(
                Route.post("/v1/webhooks", NewWebhook.class, this::register)
                        .summary(
                                "Have an address called for each message to a source, signed, until it answers with 2xx.")
                        .roles(Role.MEMBER)
                        .answers(Registered.class)
                        .statuses(201)
                        .refuses(ProblemCode.TOO_MANY_WEBHOOKS, ProblemCode.UNKNOWN_TOPIC, ProblemCode.OVER_LIMIT),
                Route.get("/v1/webhooks", this::list)
                        .summary("Your webhooks; those of all members for an admin.")
                        .roles(Role.MEMBER)
                        .answers(WebhookList.class),
                Route.delete("/v1/webhooks/{id}", this::delete)
                        .summary("Call an address no more, also not for what is on its way.")
                        .roles(Role.MEMBER)
                        .refuses(ProblemCode.NOT_FOUND));
    }

    /** Each costs, even one that looks like another: both are called. */
    private Answer register(Call call, NewWebhook wanted) {
        Destination source = Call.understood(() -> Destination.parse(wanted.source()));
        URI url = Call.understood(() -> URI.create(wanted.url()));
        String once = ids.next().toString();
        return budgetGuard.spend(
                call,
                false,
                new IdempotencyKey("webhook:" + once),
                Fingerprint.of("webhook", once),
                () -> registered(call, source, url));
    }

    private Answer registered(Call call, Destination source, URI url) {
        Registration registration = Call.understood(() -> webhooks.register(call.member(), source, url));
        return switch (registration) {
            case Registration.Registered done -> Answer.created(new Registered(view(done.webhook()), done.secret()));
            case Registration.TooMany full ->
                throw new Problem(
                        ProblemCode.TOO_MANY_WEBHOOKS, "a member has at most " + full.most() + ": delete one first");
            case Registration.UnknownTopic none -> throw new Problem(ProblemCode.UNKNOWN_TOPIC, "create it first");
            case Registration.NoSuchMember gone ->
                throw new Problem(ProblemCode.UNAUTHENTICATED, "the token's member was removed");
        };
    }

    private Answer list(Call call) {
        Member caller = call.member();
        return Answer.ok(new WebhookList(webhooks.list(caller.mesh()).stream()
                .filter(webhook -> isFor(caller, webhook))
                .map(WebhookRoutes::view)
                .toList()));
    }

    private Answer delete(Call call) {
        Member caller = call.member();
        String id = call.id("id").toString();
        boolean own = webhooks.find(caller.mesh(), id)
                .filter(webhook -> isFor(caller, webhook))
                .isPresent();
        if (!own || !webhooks.delete(caller.mesh(), id)) {
            throw Call.notFound();
        }
        return Answer.nothing();
    }

    static boolean isFor(Member caller, Webhook webhook) {
        return webhook.member().equals(caller.name()) || caller.may(Role.ADMIN);
    }

    private static WebhookView view(Webhook webhook) {
        return new WebhookView(
                UUID.fromString(webhook.id()),
                webhook.source(),
                webhook.url(),
                webhook.member(),
                webhook.created(),
                webhook.ended());
    }
}
