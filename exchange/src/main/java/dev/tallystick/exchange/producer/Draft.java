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
 * @param origin who in this installation learns the outcome through {@link Origins}, in one line; null for no one
 */
public record Draft(
        Participant consumer,
        MessageId id,
        Payload payload,
        @Nullable String orderKey,
        @Nullable Duration deadline,
        @Nullable String origin) {

    public Draft {
        if (orderKey != null) {
            OrderPlace.requireKey(orderKey);
        }
        if (deadline != null && (deadline.isNegative() || deadline.isZero())) {
            throw new IllegalArgumentException("a deadline is in the future");
        }
        if (origin != null && (origin.isEmpty() || origin.indexOf('\n') >= 0)) {
            throw new IllegalArgumentException("an origin is one line, got '" + origin + "'");
        }
    }

    public Draft(Participant consumer, MessageId id, Payload payload) {
        this(consumer, id, payload, null, null, null);
    }

    public Draft inOrderOf(String key) {
        return new Draft(consumer, id, payload, key, deadline, origin);
    }

    public Draft within(Duration time) {
        return new Draft(consumer, id, payload, orderKey, time, origin);
    }

    public Draft askedBy(String who) {
        return new Draft(consumer, id, payload, orderKey, deadline, who);
    }
}
