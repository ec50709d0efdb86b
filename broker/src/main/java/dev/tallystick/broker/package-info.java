/**
 * Accepts messages and jobs, each once under its key, and delivers them to their recipients.
 *
 * <p>{@link dev.tallystick.broker.Broker} joins the rooms below and does what has no caller: retention, orphan checks, announcements.
 *
 * <p>Invariant: one transaction writes the key, the message, its history, its deliveries and mentions, and the job that it
 * starts, so each of them exists if and only if all do. A rejection leaves nothing behind, not even its key.
 *
 * <p>Knows nothing of HTTP, and of jobs only that an {@link dev.tallystick.broker.accept.AcceptHook} starts them.
 */
@NullMarked
package dev.tallystick.broker;

import org.jspecify.annotations.NullMarked;
