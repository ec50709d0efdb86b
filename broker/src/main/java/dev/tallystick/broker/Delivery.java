package dev.tallystick.broker;

import java.time.Instant;
import java.util.UUID;

/**
 * A message on its way to one inbox, leased to whoever holds this.
 *
 * @param attempt 1 when it is taken for the first time
 * @param leasedUntil by the database's clock; from then on somebody else may take it
 */
public record Delivery(Lease lease, Message message, int attempt, Instant leasedUntil) {

    /**
     * What is shown to acknowledge a delivery, to keep it or to give it back.
     *
     * @param fence grows whenever the delivery is taken: whoever shows an old one has lost the lease
     */
    public record Lease(String mesh, Inbox inbox, UUID message, long fence) {}
}
