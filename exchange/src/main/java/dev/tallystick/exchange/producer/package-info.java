/**
 * The producer's half: records a posting, publishes it until the consumer's receipt or result is recorded, and countersigns the
 * result.
 *
 * <p>Main types: {@link dev.tallystick.exchange.producer.Producer}, {@link dev.tallystick.exchange.producer.Draft},
 * {@link dev.tallystick.exchange.producer.Posted}.
 *
 * <p>Invariant: each posting has one row, whose status only moves forward and whose publications are counted before they
 * happen.
 *
 * <p>Knows nothing of handlers.
 */
@NullMarked
package dev.tallystick.exchange.producer;

import org.jspecify.annotations.NullMarked;
