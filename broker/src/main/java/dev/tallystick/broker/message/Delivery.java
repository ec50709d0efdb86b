package dev.tallystick.broker.message;

import dev.tallystick.broker.model.Inbox;
import dev.tallystick.broker.model.Message;
import java.time.Instant;
import java.util.UUID;

/**
 * A message on its way to one inbox, leased to the holder of this object.
 *
 * @param attempt 1 when it is taken for the first time
 * @param leasedUntil by the database's clock; from then on others may take it
 */
public record Delivery(Lease lease, Message message, int attempt, Instant leasedUntil) {

    /**
     * Identifies the lease, to acknowledge, extend or release a delivery.
     *
     * @param fence grows whenever the delivery is taken: the holder of an old fence has lost the lease
     */
    public record Lease(String mesh, Inbox inbox, UUID message, long fence) {}
}
