package dev.tallystick.client;

import dev.tallystick.core.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What was sent to the member of the token, or to a queue. It is taken under a lease, and what is not acknowledged
 * until that runs out comes again, here or elsewhere: deal with it under the id of the message, which stays the same.
 * Thread-safe.
 */
public final class Deliveries {

    private static final String PATH = "/v1/deliveries/";

    private final Exchange exchange;

    Deliveries(Exchange exchange) {
        this.exchange = exchange;
    }

    /**
     * What is to be taken.
     *
     * @param queue where from; null for the member's own inbox
     * @param lease for how long it is held, in whole seconds, rounded up; null for as long as the server likes
     * @param patience how long the server waits for the first one, in whole seconds, rounded up; at most a minute
     */
    public record Take(
            int max, @Nullable String queue, @Nullable Duration lease, Duration patience) {

        public static Take atMost(int max) {
            return new Take(max, null, null, Duration.ZERO);
        }

        public Take fromQueue(String name) {
            return new Take(max, name, lease, patience);
        }

        public Take leasedFor(Duration time) {
            return new Take(max, queue, time, patience);
        }

        public Take waiting(Duration time) {
            return new Take(max, queue, lease, time);
        }
    }

    /**
     * A message that is held.
     *
     * @param fence tells this lease from those of others
     * @param attempt counted from 1
     */
    public record Delivery(String inbox, Messages.Message message, long fence, int attempt, Instant leasedUntil) {

        static Delivery of(Fields fields) {
            return new Delivery(
                    fields.text("inbox"),
                    Messages.Message.of(fields.fields("message")),
                    fields.number("fence"),
                    fields.count("attempt"),
                    fields.text("leased_until", Instant::parse));
        }

        private Json held() {
            return new Body()
                    .with("inbox", inbox)
                    .with("message_id", message.id().toString())
                    .with("fence", fence)
                    .json();
        }
    }

    /** What came of settling a delivery. */
    public enum Outcome {
        /** Done, now or when the same was asked before. */
        DONE,
        /** Somebody else has it by now. Nothing was done. */
        LEASE_LOST,
        /** There is no such delivery. */
        UNKNOWN
    }

    /** Takes what is there. Empty if nothing was, for as long as was waited. */
    public List<Delivery> take(Take wanted) {
        Body body = new Body()
                .with("max", wanted.max())
                .with("queue", wanted.queue())
                .withSeconds("lease_seconds", wanted.lease())
                .withSeconds("wait_seconds", wanted.patience());
        return exchange.ask(
                Request.post(PATH + "lease", body.json()).waiting(wanted.patience()),
                answer -> answer.list("deliveries", Delivery::of));
    }

    /** They are dealt with, and do not come again. */
    public List<Outcome> acknowledge(List<Delivery> deliveries) {
        return settle("ack", deliveries, null);
    }

    public Outcome acknowledge(Delivery delivery) {
        return acknowledge(List.of(delivery)).getFirst();
    }

    /** Keeps them for so long from now. */
    public List<Outcome> extend(List<Delivery> deliveries, Duration lease) {
        return settle("extend", deliveries, lease);
    }

    /** Gives them back: they come again after {@code delay}, to whoever asks first. */
    public List<Outcome> release(List<Delivery> deliveries, Duration delay) {
        return settle("release", deliveries, delay);
    }

    /** One outcome for each, in the same order. */
    private List<Outcome> settle(String verb, List<Delivery> deliveries, @Nullable Duration time) {
        Body body = new Body()
                .with(
                        "deliveries",
                        new Json.ArrayValue(
                                deliveries.stream().map(Delivery::held).toList()))
                .withSeconds("seconds", time);
        return exchange.ask(Request.post(PATH + verb, body.json()), answer -> {
            List<Outcome> outcomes = answer.texts("outcomes", word -> Outcome.valueOf(word.toUpperCase(Locale.ROOT)));
            if (outcomes.size() != deliveries.size()) {
                throw new ForeignAnswer("it has " + outcomes.size() + " outcomes for " + deliveries.size());
            }
            return outcomes;
        });
    }
}
