/**
 * The inbox: what the daemon has received for its member, and other events, in a SQLite file.
 *
 * <p>{@link dev.tallystick.daemon.inbox.Inbox} keeps events and lets readers follow them; {@link
 * dev.tallystick.daemon.inbox.Receiver} fetches messages and mentions from the server.
 *
 * <p>Invariant: a message is acknowledged to the server only after it is on disk here, and it is kept once however often it
 * comes. This package knows nothing about the outbox.
 */
@NullMarked
package dev.tallystick.daemon.inbox;

import org.jspecify.annotations.NullMarked;
