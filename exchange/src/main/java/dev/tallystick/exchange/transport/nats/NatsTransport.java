package dev.tallystick.exchange.transport.nats;

import dev.tallystick.exchange.transport.Address;
import dev.tallystick.exchange.transport.Topic;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.exchange.transport.TransportException;
import io.nats.client.Connection;
import io.nats.client.JetStream;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.PullSubscribeOptions;
import io.nats.client.api.PublishAck;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Two streams, {@code POSTINGS} and {@code RESULTS}, with a subject for each participant: {@code postings.globex}. The instances
 * of a participant share a durable consumer. The server acknowledges before it forces to disk; that is enough for a transport.
 * Its usual limit of 1 MiB for a message leaves about 700 KiB for a payload.
 */
public final class NatsTransport implements Transport {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Unanswered messages are published again long before this. */
    private static final Duration KEPT = Duration.ofDays(7);

    private final Connection connection;
    private final Map<Topic, Boolean> streams = new ConcurrentHashMap<>();
    private final Map<Address, JetStreamSubscription> subscriptions = new ConcurrentHashMap<>();

    /** @param server such as {@code nats://127.0.0.1:4222} */
    public NatsTransport(String server) {
        try {
            Options options = Options.builder()
                    .server(server)
                    .maxReconnects(-1)
                    .reconnectWait(Duration.ofMillis(100))
                    .build();
            connection = Nats.connect(options);
        } catch (IOException e) {
            throw new TransportException("cannot connect to NATS: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TransportException("interrupted", e);
        }
    }

    @Override
    public void publish(Address address, List<byte[]> messages) {
        try {
            createStream(address.topic());
            JetStream stream = connection.jetStream();
            List<CompletableFuture<PublishAck>> sent = new ArrayList<>(messages.size());
            for (byte[] message : messages) {
                sent.add(stream.publishAsync(subject(address), message));
            }
            for (CompletableFuture<PublishAck> each : sent) {
                each.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (IOException
                | JetStreamApiException
                | ExecutionException
                | TimeoutException
                | IllegalStateException e) {
            streams.remove(address.topic());
            throw new TransportException("cannot publish to " + address + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TransportException("interrupted", e);
        }
    }

    @Override
    public boolean receive(Address address, int max, Duration wait, Receiver receiver) {
        List<Message> arrived;
        try {
            JetStreamSubscription subscription = subscribed(address);
            arrived = subscription.fetch(max, wait);
            if (arrived.isEmpty()) {
                // Fails if the server has lost its storage: then we subscribe again.
                subscription.getConsumerInfo();
                return false;
            }
        } catch (IOException | JetStreamApiException | RuntimeException e) {
            streams.remove(address.topic());
            subscriptions.remove(address);
            throw new TransportException("cannot receive from " + address + ": " + e.getMessage(), e);
        }
        boolean recorded = false;
        try {
            receiver.receive(arrived.stream().map(Message::getData).toList());
            recorded = true;
        } finally {
            for (Message message : arrived) {
                if (recorded) {
                    message.ack();
                } else {
                    message.nak();
                }
            }
        }
        return true;
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void createStream(Topic topic) throws IOException, JetStreamApiException {
        if (!streams.containsKey(topic)) {
            JetStreamManagement management = connection.jetStreamManagement();
            management.addStream(StreamConfiguration.builder()
                    .name(topic.name())
                    .subjects(topic.word() + ".*")
                    .storageType(StorageType.File)
                    .maxAge(KEPT)
                    .build());
            streams.put(topic, true);
        }
    }

    private JetStreamSubscription subscribed(Address address) throws IOException, JetStreamApiException {
        JetStreamSubscription known = subscriptions.get(address);
        if (known != null) {
            return known;
        }
        createStream(address.topic());
        PullSubscribeOptions durable = PullSubscribeOptions.builder()
                .durable("tally-" + address.topic().word() + "-" + token(address))
                .build();
        JetStreamSubscription made = connection.jetStream().subscribe(subject(address), durable);
        subscriptions.put(address, made);
        return made;
    }

    private static String subject(Address address) {
        return address.topic().word() + "." + token(address);
    }

    /** NATS separates the parts of a subject with dots. */
    private static String token(Address address) {
        return address.subject().name().replace(".", "~");
    }
}
