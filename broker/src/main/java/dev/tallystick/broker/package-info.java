/**
 * Accepts messages and jobs, each once under its key, and delivers them to those who are meant.
 *
 * <p>{@link dev.tallystick.broker.Members} says who asks, {@link dev.tallystick.broker.Broker} accepts,
 * {@link dev.tallystick.broker.Deliveries} hands out what was accepted, {@link dev.tallystick.broker.History} remembers it.
 *
 * <p>Invariant: the key, the message, its history, its deliveries and mentions, and the job that it starts are written by one
 * transaction, so each of them exists if and only if all do. A rejection leaves nothing behind, not even its key.
 *
 * <p>Knows nothing of HTTP, and of jobs only that an {@link dev.tallystick.broker.AcceptHook} starts them.
 */
@NullMarked
package dev.tallystick.broker;

import org.jspecify.annotations.NullMarked;
