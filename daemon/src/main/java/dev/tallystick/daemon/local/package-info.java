/**
 * The daemon's local interface: HTTP/1.1 over a Unix socket, and over loopback TCP with a token.
 *
 * <p>{@link dev.tallystick.daemon.local.LocalServer} takes connections and bounds everything that comes over them; {@link
 * dev.tallystick.daemon.local.LocalRoutes} answers; {@link dev.tallystick.daemon.local.LocalClient} is the other end, for
 * commands.
 *
 * <p>Invariant: only processes of the daemon's own user get an answer. This package does not know how rows are delivered.
 */
@NullMarked
package dev.tallystick.daemon.local;

import org.jspecify.annotations.NullMarked;
