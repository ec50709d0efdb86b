package dev.tallystick.exchange;

import dev.tallystick.exchange.transport.Address;
import dev.tallystick.exchange.transport.Topic;
import dev.tallystick.exchange.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Lets a test see, and change, what is published on a topic. */
record ListeningTransport(Transport transport, Topic topic, Consumer<List<byte[]>> listener) implements Transport {

    @Override
    public void publish(Address address, List<byte[]> messages) {
        List<byte[]> sent = new ArrayList<>(messages);
        if (address.topic() == topic) {
            listener.accept(sent);
        }
        transport.publish(address, sent);
    }

    @Override
    public boolean receive(Address address, int max, Duration wait, Receiver receiver) {
        return transport.receive(address, max, wait, receiver);
    }

    @Override
    public void close() {
        transport.close();
    }
}
