/**
 * Carries bytes from one participant to the other. A transport may lose, repeat and reorder them, and may lose its storage:
 * the databases of the participants are the truth.
 *
 * <p>Main types: {@link dev.tallystick.exchange.transport.Transport}, its default
 * {@link dev.tallystick.exchange.transport.PostgresTransport}, and {@link dev.tallystick.exchange.transport.Outgoing}, which
 * sends together whatever is ready.
 *
 * <p>Knows nothing of the content of a message.
 */
@NullMarked
package dev.tallystick.exchange.transport;

import org.jspecify.annotations.NullMarked;
