/**
 * The consumer's half: records a posting once, runs the handler in one transaction with its outcome, and publishes the result
 * until the producer has acknowledged it.
 *
 * <p>Main types: {@link dev.tallystick.exchange.consumer.Consumer}, {@link dev.tallystick.exchange.consumer.Handler},
 * {@link dev.tallystick.exchange.consumer.Outcome}.
 *
 * <p>Invariant: a posting has one row and one outcome; repeats are answered from the row, byte for byte.
 *
 * <p>Knows nothing of producers' tables.
 */
@NullMarked
package dev.tallystick.exchange.consumer;

import org.jspecify.annotations.NullMarked;
