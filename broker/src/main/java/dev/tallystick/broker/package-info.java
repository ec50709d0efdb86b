/**
 * Accepts messages and jobs, each once under its key, and delivers them to their recipients.
 *
 * <p>{@link dev.tallystick.broker.Members} authenticates callers, {@link dev.tallystick.broker.Broker} accepts messages,
 * {@link dev.tallystick.broker.Deliveries} hands them out, {@link dev.tallystick.broker.History} remembers them.
 *
 * <p>Invariant: one transaction writes the key, the message, its history, its deliveries and mentions, and the job that it
 * starts, so each of them exists if and only if all do. A rejection leaves nothing behind, not even its key.
 *
 * <p>Knows nothing of HTTP, and of jobs only that an {@link dev.tallystick.broker.AcceptHook} starts them.
 */
@NullMarked
package dev.tallystick.broker;

import org.jspecify.annotations.NullMarked;
