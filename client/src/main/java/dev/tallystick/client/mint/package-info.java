/**
 * Makes idempotency keys and remembers them across restarts, so that a retry after a crash has the key of the first attempt.
 *
 * <p>{@link dev.tallystick.client.mint.KeyMint} is the entry.
 *
 * <p>Invariant: a key is on disk before it is handed out.
 *
 * <p>Knows nothing of servers.
 */
@NullMarked
package dev.tallystick.client.mint;

import org.jspecify.annotations.NullMarked;
