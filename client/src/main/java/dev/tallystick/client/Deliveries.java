package dev.tallystick.client;

import dev.tallystick.client.net.Durations;
import dev.tallystick.client.net.ForeignAnswer;
import dev.tallystick.core.api.MessageApi;
import dev.tallystick.core.api.MessageApi.Held;
import dev.tallystick.core.api.MessageApi.Settle;
import dev.tallystick.core.api.MessageApi.Settled;
import dev.tallystick.core.api.MessageApi.Taken;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Messages to the token's member, or to a queue. A consumer takes them under a lease; a message that is not acknowledged before
 * the lease expires is delivered again, here or elsewhere. Deduplicate by the id of the message, which stays the same.
 * Thread-safe.
 */
public final class Deliveries {

    private static final String PATH = "/v1/deliveries/";

    private final Transport transport;

    Deliveries(Transport transport) {
        this.transport = transport;
    }

    /**
     * Which deliveries to take.
     *
     * @param queue the queue to take from; null for the member's own inbox
     * @param lease how long to hold them, in whole seconds, rounded up; null for the server's default
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
     * A message under a lease.
     *
     * @param fence distinguishes this lease from others
     * @param attempt counted from 1
     */
    public record Delivery(String inbox, Messages.Message message, long fence, int attempt, Instant leasedUntil) {

        static Delivery of(Taken.Leased leased) {
            return new Delivery(
                    leased.inbox(),
                    Messages.Message.of(leased.message()),
                    leased.fence(),
                    leased.attempt(),
                    leased.leasedUntil());
        }

        private Held held() {
            return new Held(inbox, message.id(), fence);
        }
    }

    /** The outcome of settling a delivery. */
    public enum Outcome {
        /** Done, now or by an earlier identical request. */
        DONE,
        /** Another consumer has it by now. Nothing was done. */
        LEASE_LOST,
        /** The delivery does not exist. */
        UNKNOWN;

        private static Outcome parse(String word) {
            try {
                return valueOf(word.toUpperCase(Locale.ROOT));
            } catch (IllegalArgumentException e) {
                throw new ForeignAnswer("an outcome is '" + word + "'", e);
            }
        }
    }

    /** Takes available deliveries. Empty if none arrived within the patience. */
    public List<Delivery> take(Take wanted) {
        MessageApi.Take body = new MessageApi.Take(
                wanted.queue(),
                wanted.max(),
                Durations.secondsOrNull(wanted.lease()),
                Durations.secondsOrNull(wanted.patience()));
        return transport.ask(
                Request.post(PATH + "lease", body).waiting(wanted.patience()),
                Taken.class,
                taken -> taken.deliveries().stream().map(Delivery::of).toList());
    }

    /** Marks the deliveries as done: they are not delivered again. */
    public List<Outcome> acknowledge(List<Delivery> deliveries) {
        return settle("ack", deliveries, null);
    }

    public Outcome acknowledge(Delivery delivery) {
        return acknowledge(List.of(delivery)).getFirst();
    }

    /** Extends the leases to this duration from now. */
    public List<Outcome> extend(List<Delivery> deliveries, Duration lease) {
        return settle("extend", deliveries, lease);
    }

    /** Gives the deliveries back: after {@code delay} the first consumer to ask gets them. */
    public List<Outcome> release(List<Delivery> deliveries, Duration delay) {
        return settle("release", deliveries, delay);
    }

    /** One outcome for each, in the same order. */
    private List<Outcome> settle(String verb, List<Delivery> deliveries, @Nullable Duration time) {
        Settle body = new Settle(deliveries.stream().map(Delivery::held).toList(), Durations.secondsOrNull(time));
        return transport.ask(Request.post(PATH + verb, body), Settled.class, answer -> {
            List<Outcome> outcomes =
                    answer.outcomes().stream().map(Outcome::parse).toList();
            if (outcomes.size() != deliveries.size()) {
                throw new ForeignAnswer("it has " + outcomes.size() + " outcomes for " + deliveries.size());
            }
            return outcomes;
        });
    }
}
