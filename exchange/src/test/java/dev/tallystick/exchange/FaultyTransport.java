package dev.tallystick.exchange;

import dev.tallystick.exchange.transport.Address;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.exchange.transport.TransportException;
import dev.tallystick.testkit.Randomness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Loses, repeats, reorders and delays messages, and sometimes forgets that they were received. Ends when told to. */
final class FaultyTransport implements Transport {

    private static final double CHANCE = 0.2;

    private final Transport reliable;
    private final Randomness random;
    private final Map<Address, List<byte[]>> delayed = new HashMap<>();
    private volatile boolean healed;

    FaultyTransport(Transport reliable, Randomness random) {
        this.reliable = reliable;
        this.random = random;
    }

    /** Works from now on. */
    void heal() {
        healed = true;
    }

    @Override
    public void publish(Address address, List<byte[]> messages) {
        List<byte[]> sent = healed ? messages : harmed(address, messages);
        if (!sent.isEmpty()) {
            reliable.publish(address, sent);
        }
    }

    private synchronized List<byte[]> harmed(Address address, List<byte[]> messages) {
        if (random.chance(CHANCE / 2)) {
            throw new TransportException("the transport is down", null);
        }
        List<byte[]> late = delayed.computeIfAbsent(address, first -> new ArrayList<>());
        List<byte[]> sent = new ArrayList<>(late);
        late.clear();
        for (byte[] message : messages) {
            if (random.chance(CHANCE)) {
                late.add(message);
            } else if (!random.chance(CHANCE)) {
                sent.add(message);
                if (random.chance(CHANCE)) {
                    sent.add(message);
                }
            }
        }
        return random.shuffled(sent);
    }

    @Override
    public boolean receive(Address address, int max, Duration wait, Receiver receiver) {
        return reliable.receive(address, max, wait, messages -> {
            receiver.receive(messages);
            if (!healed && forgets()) {
                throw new TransportException("the transport does not know that these were received", null);
            }
        });
    }

    private synchronized boolean forgets() {
        return random.chance(CHANCE / 2);
    }

    @Override
    public void close() {
        reliable.close();
    }
}
