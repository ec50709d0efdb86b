/**
 * Kafka as a transport. Needs {@code org.apache.kafka:kafka-clients}, which the application adds.
 *
 * <p>Main type: {@link dev.tallystick.exchange.transport.kafka.KafkaTransport}.
 *
 * <p>Invariant: offsets are committed after the messages are recorded.
 *
 * <p>Knows nothing of the content of a message.
 */
@NullMarked
package dev.tallystick.exchange.transport.kafka;

import org.jspecify.annotations.NullMarked;
