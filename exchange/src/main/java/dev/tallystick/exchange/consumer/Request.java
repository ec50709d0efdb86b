package dev.tallystick.exchange.consumer;

import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.OrderPlace;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.Payload;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A posting, as its handler sees it.
 *
 * @param attempt how often the handler has been started for it, this time included
 */
public record Request(
        Participant producer,
        MessageId id,
        Payload payload,
        Instant inception,
        Instant deadline,
        @Nullable OrderPlace place,
        int attempt) {

    /** The same for every attempt: pass it to foreign systems, whose effects are not in our transaction. */
    public String key() {
        return producer + ":" + id;
    }
}
