package dev.tallystick.exchange.producer;

import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.OrderPlace;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.Payload;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A posting before it is recorded.
 *
 * @param id the same for every repetition of the request
 * @param orderKey postings to one consumer with the same key are handled in the order of their recording; null for no order
 * @param deadline after this long without a result an issue is raised; null for the default
 */
public record Draft(
        Participant consumer,
        MessageId id,
        Payload payload,
        @Nullable String orderKey,
        @Nullable Duration deadline) {

    public Draft {
        if (orderKey != null) {
            OrderPlace.requireKey(orderKey);
        }
        if (deadline != null && (deadline.isNegative() || deadline.isZero())) {
            throw new IllegalArgumentException("a deadline is in the future");
        }
    }

    public Draft(Participant consumer, MessageId id, Payload payload) {
        this(consumer, id, payload, null, null);
    }

    public Draft inOrderOf(String key) {
        return new Draft(consumer, id, payload, key, deadline);
    }

    public Draft within(Duration time) {
        return new Draft(consumer, id, payload, orderKey, time);
    }
}
