/**
 * The messages that participants exchange, and the statuses that both sides give them.
 *
 * <p>Main types: {@link dev.tallystick.exchange.message.Message} and its bytes,
 * {@link dev.tallystick.exchange.message.MessageFormat}; {@link dev.tallystick.exchange.message.StatusTable}, the only changes
 * of status; {@link dev.tallystick.exchange.message.Statement}, the bytes that a signature covers.
 *
 * <p>Invariant: reading the bytes of a message gives an equal message, and anything else is refused.
 *
 * <p>Knows nothing of databases and transports.
 */
@NullMarked
package dev.tallystick.exchange.message;

import org.jspecify.annotations.NullMarked;
