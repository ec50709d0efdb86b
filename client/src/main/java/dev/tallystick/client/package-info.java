/**
 * A client of a server, in plain Java over HTTP.
 *
 * <p>{@link dev.tallystick.client.TallyClient} submits jobs and follows them, {@link dev.tallystick.client.KeyMint} makes the
 * keys that they go under, {@link dev.tallystick.client.Worker} does work that a server has.
 *
 * <p>Invariant: a request whose outcome is unknown is sent again under the same key, until the answer is definite or the
 * caller's patience is at its end. Then it is told as unknown, never as failed.
 */
@NullMarked
package dev.tallystick.client;

import org.jspecify.annotations.NullMarked;
