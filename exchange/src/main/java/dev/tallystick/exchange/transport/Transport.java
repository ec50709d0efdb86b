package dev.tallystick.exchange.transport;

import java.time.Duration;
import java.util.List;

/**
 * Carries messages. It may lose, repeat, delay and reorder them, and lose its storage; it must not alter them, and must deliver
 * some of those that are sent again and again. Its acknowledgements mean nothing to the protocol. Thread-safe.
 */
public interface Transport extends AutoCloseable {

    /** Takes what arrived. */
    @FunctionalInterface
    interface Receiver {

        /** Returns once the messages are recorded; if it throws, they are delivered again. */
        void receive(List<byte[]> messages);
    }

    /**
     * Sends messages, and returns when the transport has taken them.
     *
     * @throws TransportException if it has not, or that is unknown
     */
    void publish(Address address, List<byte[]> messages);

    /**
     * Waits for messages, passes them to the receiver, and tells the transport that they arrived.
     *
     * @param max about how many to take at once
     * @return whether there were any
     * @throws TransportException if the transport fails
     */
    boolean receive(Address address, int max, Duration wait, Receiver receiver);

    @Override
    void close();
}
