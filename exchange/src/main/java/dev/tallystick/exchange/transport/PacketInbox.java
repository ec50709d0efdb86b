package dev.tallystick.exchange.transport;

import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.message.MessageFormat;
import java.util.List;

/**
 * The receiving end of the HTTP transport: puts packets that partners send into our own table, from which our instances receive
 * them. Bounded: a partner that sends more than we handle is asked to wait.
 */
public final class PacketInbox {

    /** The longest packet. */
    public static final int MAX_BYTES = 16 << 20;

    private static final int MOST_WAITING = 20_000;
    private static final int MOST_PACKETS = 2_000;

    /** The result of a delivery. */
    public sealed interface Delivery {

        /** It is stored, with so many messages. */
        record Taken(int messages) implements Delivery {}

        /** Too much waits already. Send it again later. */
        record Busy() implements Delivery {}

        /** It is not a packet, or too long. Do not send it again. */
        record Refused() implements Delivery {}
    }

    private final PostgresTransport local;

    public PacketInbox(PostgresTransport local) {
        this.local = local;
    }

    public Delivery deliver(Address address, byte[] packet) {
        if (packet.length > MAX_BYTES) {
            return new Delivery.Refused();
        }
        List<byte[]> messages;
        try {
            messages = Packets.split(packet);
        } catch (IllegalArgumentException e) {
            return new Delivery.Refused();
        }
        boolean isSound = !messages.isEmpty()
                && messages.size() <= ExchangeSettings.BATCH
                && messages.stream().allMatch(message -> message.length <= MessageFormat.MAX_BYTES);
        if (!isSound) {
            return new Delivery.Refused();
        }
        if (local.waiting(address, MOST_PACKETS) > MOST_WAITING) {
            return new Delivery.Busy();
        }
        local.publish(address, messages);
        return new Delivery.Taken(messages.size());
    }
}
