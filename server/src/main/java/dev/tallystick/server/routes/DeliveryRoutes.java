package dev.tallystick.server.routes;

import dev.tallystick.broker.NewMessageSignal;
import dev.tallystick.broker.message.Acknowledge;
import dev.tallystick.broker.message.Deliveries;
import dev.tallystick.broker.message.Delivery;
import dev.tallystick.broker.model.Inbox;
import dev.tallystick.broker.model.Member;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.MessageApi.Settle;
import dev.tallystick.core.api.MessageApi.Settled;
import dev.tallystick.core.api.MessageApi.Take;
import dev.tallystick.core.api.MessageApi.Taken;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.LongPollAnswer;
import dev.tallystick.server.http.LongPolls;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.Route;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Deliveries: take them under a lease, and acknowledge them when they are done. */
public final class DeliveryRoutes {

    private static final int USUAL_BATCH = 10;
    private static final String QUEUE = "queue:";
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

    private final Deliveries deliveries;
    private final LongPolls longPolls;
    private final LongPollAnswer longPollAnswer;

    public DeliveryRoutes(Deliveries deliveries, NewMessageSignal newMessageSignal, LongPolls longPolls) {
        this.deliveries = deliveries;
        this.longPolls = longPolls;
        this.longPollAnswer = new LongPollAnswer(longPolls, newMessageSignal, LOOK_AGAIN);
    }

    public List<Route> routes() {
        return List.of(
                Route.post("/v1/deliveries/lease", Take.class, this::take)
                        .summary("Take deliveries under a lease. What is not acknowledged comes again.")
                        .roles(Role.MEMBER)
                        .answers(Taken.class),
                settling("ack", "They are dealt with, and will not come again.", deliveries::acknowledge),
                Route.post(
                                "/v1/deliveries/extend",
                                Settle.class,
                                (call, body) -> settle(
                                        call,
                                        body,
                                        (taker, held) -> deliveries.extend(
                                                taker, held, seconds(body.seconds(), Deliveries.DEFAULT_LEASE))))
                        .summary("Keep deliveries for longer.")
                        .roles(Role.MEMBER)
                        .answers(Settled.class),
                Route.post(
                                "/v1/deliveries/release",
                                Settle.class,
                                (call, body) -> settle(
                                        call,
                                        body,
                                        (taker, held) -> deliveries.release(
                                                taker,
                                                held,
                                                seconds(body.seconds(), Duration.ZERO),
                                                "released by its taker")))
                        .summary("Give deliveries back, at once or after a while.")
                        .roles(Role.MEMBER)
                        .answers(Settled.class));
    }

    private Route settling(
            String verb, String summary, BiFunction<Member, List<Delivery.Lease>, List<Acknowledge>> action) {
        return Route.post("/v1/deliveries/" + verb, Settle.class, (call, body) -> settle(call, body, action))
                .summary(summary)
                .roles(Role.MEMBER)
                .answers(Settled.class);
    }

    private Answer take(Call call, Take wanted) {
        String queue = wanted.queue();
        Inbox inbox = queue == null ? Inbox.of(call.member()) : Call.understood(() -> Inbox.queue(queue));
        int max = wanted.max() == null ? USUAL_BATCH : wanted.max();
        Duration lease = seconds(wanted.leaseSeconds(), Deliveries.DEFAULT_LEASE);
        Duration wait = seconds(wanted.waitSeconds(), Duration.ZERO);
        if (wait.compareTo(longPolls.longest()) > 0) {
            throw new Problem(
                    ProblemCode.MALFORMED_REQUEST,
                    "wait_seconds is at most " + longPolls.longest().toSeconds());
        }
        return longPollAnswer.answer(
                call,
                wait,
                () -> taken(Call.understood(() -> deliveries.lease(call.member(), inbox, max, lease))),
                new Taken(List.of()));
    }

    private static Answer settle(
            Call call, Settle body, BiFunction<Member, List<Delivery.Lease>, List<Acknowledge>> action) {
        Member member = call.member();
        List<Delivery.Lease> held = body.deliveries().stream()
                .map(each ->
                        new Delivery.Lease(member.mesh(), inbox(member, each.inbox()), each.messageId(), each.fence()))
                .toList();
        List<Acknowledge> outcomes = Call.understood(() -> action.apply(member, held));
        return Answer.ok(new Settled(outcomes.stream()
                .map(outcome -> outcome.name().toLowerCase(Locale.ROOT))
                .toList()));
    }

    /** A queue, or the member's own inbox: another member's deliveries cannot be settled. */
    private static Inbox inbox(Member member, String text) {
        Inbox own = Inbox.of(member);
        if (text.equals(own.toString())) {
            return own;
        }
        if (text.startsWith(QUEUE)) {
            return Call.understood(() -> Inbox.queue(text.substring(QUEUE.length())));
        }
        throw new Problem(ProblemCode.MALFORMED_REQUEST, "an inbox is yours, " + own + ", or a queue's");
    }

    private static Duration seconds(@Nullable Integer number, Duration otherwise) {
        if (number == null) {
            return otherwise;
        }
        if (number < 0) {
            throw new Problem(ProblemCode.MALFORMED_REQUEST, "seconds are not negative");
        }
        return Duration.ofSeconds(number);
    }

    private static Optional<Taken> taken(List<Delivery> taken) {
        return taken.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new Taken(taken.stream().map(DeliveryRoutes::leased).toList()));
    }

    private static Taken.Leased leased(Delivery delivery) {
        return new Taken.Leased(
                delivery.lease().inbox().toString(),
                delivery.lease().message(),
                delivery.lease().fence(),
                delivery.attempt(),
                delivery.leasedUntil(),
                MessageRoutes.view(delivery.message()));
    }
}
