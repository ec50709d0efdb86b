/**
 * Bytes from the network: bodies and lines of bounded length, times in whole units, and which servers to trust.
 *
 * <p>{@link dev.tallystick.client.net.Trust} is for users; the rest serves the client.
 *
 * <p>Invariant: whatever a server sends, it takes bounded memory.
 */
@NullMarked
package dev.tallystick.client.net;

import org.jspecify.annotations.NullMarked;
