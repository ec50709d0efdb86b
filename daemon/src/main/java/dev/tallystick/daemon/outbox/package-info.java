/**
 * The outbox: what callers have sent and the daemon has promised to deliver, in a SQLite file.
 *
 * <p>{@link dev.tallystick.daemon.outbox.Outbox} accepts, hands out and settles rows; {@link
 * dev.tallystick.daemon.outbox.OutboxRow} is one of them; {@link dev.tallystick.daemon.outbox.Acceptance} is the answer to a
 * caller.
 *
 * <p>Invariant: when {@code accept} returns, the row is on disk; a {@code client_message_id} that has a row is never free
 * again. This package knows nothing about sockets or servers.
 */
@NullMarked
package dev.tallystick.daemon.outbox;

import org.jspecify.annotations.NullMarked;
