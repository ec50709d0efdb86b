package dev.tallystick.server.routes;

import dev.tallystick.broker.model.Member;
import dev.tallystick.broker.webhook.DeadCall;
import dev.tallystick.broker.webhook.DeadCalls;
import dev.tallystick.broker.webhook.Webhooks;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.WebhookApi.CallRedriven;
import dev.tallystick.core.api.WebhookApi.DeadCallList;
import dev.tallystick.core.api.WebhookApi.DeadCallView;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.Route;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Abandoned webhook calls: list them, and make them again once the receiver is back. */
public final class DeadCallRoutes {

    private static final String PATH = "/v1/webhooks/dead";
    private static final int USUAL_PAGE = 50;

    private final DeadCalls calls;
    private final Webhooks webhooks;

    public DeadCallRoutes(DeadCalls calls, Webhooks webhooks) {
        this.calls = calls;
        this.webhooks = webhooks;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(PATH, this::list)
                        .summary(
                                "Calls that were given up: of your webhooks; for admins and observers, of all members.")
                        .roles(Role.MEMBER, Role.OBSERVER)
                        .query("after", "only those after this: the next of the page before")
                        .limit(USUAL_PAGE, DeadCalls.MAX_PAGE)
                        .answers(DeadCallList.class),
                Route.post("/v1/webhooks/{id}/messages/{message}/redrive", this::redrive)
                        .summary("Make a call again that was given up. What was not is left as it is.")
                        .roles(Role.MEMBER)
                        .answers(CallRedriven.class)
                        .statuses(202)
                        .refuses(ProblemCode.NOT_FOUND));
    }

    private Answer list(Call call) {
        Member caller = call.member();
        int limit = call.number("limit", USUAL_PAGE, 1, DeadCalls.MAX_PAGE);
        List<DeadCallView> page =
                calls.list(caller.mesh(), caller.may(Role.OBSERVER) ? null : caller.name(), after(call), limit).stream()
                        .map(DeadCallRoutes::view)
                        .toList();
        String next = page.size() < limit
                ? null
                : page.getLast().messageId() + "/" + page.getLast().webhookId();
        return Answer.ok(new DeadCallList(page, next));
    }

    private static DeadCalls.@Nullable Place after(Call call) {
        String after = call.parameter("after");
        if (after == null) {
            return null;
        }
        String[] place = after.split("/", 2);
        return new DeadCalls.Place(id(place[0]), id(place[place.length - 1]).toString());
    }

    private static UUID id(String text) {
        return Call.idOf(text).orElseThrow(Call::notFound);
    }

    private Answer redrive(Call call) {
        String mesh = call.member().mesh();
        DeadCalls.Place place =
                new DeadCalls.Place(call.id("message"), call.id("id").toString());
        boolean there = webhooks.find(mesh, place.webhook())
                .filter(webhook -> WebhookRoutes.isFor(call.member(), webhook))
                .filter(webhook -> calls.has(mesh, place))
                .isPresent();
        if (!there) {
            throw Call.notFound();
        }
        calls.redrive(mesh, place);
        return Answer.of(202, new CallRedriven(call.id("id"), place.message()));
    }

    private static DeadCallView view(DeadCall call) {
        return new DeadCallView(
                call.message(),
                UUID.fromString(call.webhook()),
                call.member(),
                call.url(),
                call.attempts(),
                call.error(),
                call.givenUp());
    }
}
