/**
 * A running server: {@link dev.tallystick.server.TallyServer} opens the database, the engine, the broker and the HTTP server, and closes them again.
 *
 * <p>Invariant: a request that was answered with success is durable; one that was refused has changed nothing, unless the code
 * of the refusal says that the outcome is unknown.
 */
@NullMarked
package dev.tallystick.server;

import org.jspecify.annotations.NullMarked;
