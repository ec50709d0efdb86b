/**
 * NATS JetStream as a transport. Needs {@code io.nats:jnats}, which the application adds.
 *
 * <p>Main type: {@link dev.tallystick.exchange.transport.nats.NatsTransport}.
 *
 * <p>Invariant: messages are acknowledged after they are recorded.
 *
 * <p>Knows nothing of the content of a message.
 */
@NullMarked
package dev.tallystick.exchange.transport.nats;

import org.jspecify.annotations.NullMarked;
