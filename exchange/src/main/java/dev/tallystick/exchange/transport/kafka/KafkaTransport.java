package dev.tallystick.exchange.transport.kafka;

import dev.tallystick.exchange.transport.Address;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.exchange.transport.TransportException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A Kafka topic for each address: {@code postings.globex}, {@code results.acme}. The instances of a participant form a consumer
 * group. A receiver commits offsets after it has recorded the messages, and goes back to the last commit if it has not.
 */
public final class KafkaTransport implements Transport {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Map<String, Object> settings;
    private final KafkaProducer<byte[], byte[]> producer;
    private final Map<Address, Subscription> subscriptions = new ConcurrentHashMap<>();

    /** @param settings for all clients: {@code bootstrap.servers} and whatever security needs */
    public KafkaTransport(Map<String, Object> settings) {
        this.settings = Map.copyOf(settings);
        Map<String, Object> sending = new HashMap<>(settings);
        sending.put(ProducerConfig.ACKS_CONFIG, "all");
        sending.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 4 << 20);
        sending.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, (int) PATIENCE.toMillis());
        sending.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis());
        sending.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int)
                PATIENCE.multipliedBy(2).toMillis());
        producer = new KafkaProducer<>(sending, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public void publish(Address address, List<byte[]> messages) {
        List<Future<RecordMetadata>> sent = new ArrayList<>(messages.size());
        try {
            for (byte[] message : messages) {
                sent.add(producer.send(new ProducerRecord<>(topic(address), message)));
            }
            for (Future<RecordMetadata> each : sent) {
                each.get(PATIENCE.multipliedBy(3).toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (KafkaException | ExecutionException | TimeoutException e) {
            throw new TransportException("cannot publish to " + address + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TransportException("interrupted", e);
        }
    }

    @Override
    public boolean receive(Address address, int max, Duration wait, Receiver receiver) {
        Subscription subscription =
                subscriptions.computeIfAbsent(address, first -> new Subscription(consumer(first, max)));
        try {
            return subscription.receive(wait, receiver);
        } catch (KafkaException e) {
            throw new TransportException("cannot receive from " + address + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        subscriptions.values().forEach(Subscription::close);
        producer.close(PATIENCE);
    }

    private KafkaConsumer<byte[], byte[]> consumer(Address address, int max) {
        Map<String, Object> receiving = new HashMap<>(settings);
        receiving.put(ConsumerConfig.GROUP_ID_CONFIG, "tally-" + topic(address));
        receiving.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        receiving.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        receiving.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, max);
        receiving.put(ConsumerConfig.METADATA_MAX_AGE_CONFIG, 5_000);
        KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(receiving, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.subscribe(List.of(topic(address)));
        return consumer;
    }

    private static String topic(Address address) {
        return address.topic().word() + "." + address.subject();
    }

    /** A consumer of Kafka's, which one thread may use at a time. */
    private static final class Subscription {

        private final KafkaConsumer<byte[], byte[]> consumer;

        Subscription(KafkaConsumer<byte[], byte[]> consumer) {
            this.consumer = consumer;
        }

        synchronized boolean receive(Duration wait, Receiver receiver) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(wait);
            if (records.isEmpty()) {
                return false;
            }
            List<byte[]> messages = new ArrayList<>(records.count());
            for (ConsumerRecord<byte[], byte[]> each : records) {
                messages.add(each.value());
            }
            boolean recorded = false;
            try {
                receiver.receive(messages);
                recorded = true;
            } finally {
                if (!recorded) {
                    goBack(records);
                }
            }
            consumer.commitSync(PATIENCE);
            return true;
        }

        private void goBack(ConsumerRecords<byte[], byte[]> records) {
            for (TopicPartition partition : records.partitions()) {
                consumer.seek(partition, records.records(partition).getFirst().offset());
            }
        }

        synchronized void close() {
            consumer.close();
        }
    }
}
