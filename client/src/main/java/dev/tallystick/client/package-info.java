/**
 * A client of a server, in plain Java over HTTP.
 *
 * <p>{@link dev.tallystick.client.TallyClient} submits jobs, and leads to a small class for whatever else a server
 * does; {@link dev.tallystick.client.Following} reads what happens as it happens, {@link
 * dev.tallystick.client.KeyMint} makes the keys that requests go under, {@link dev.tallystick.client.Worker} does
 * work that a server has.
 *
 * <p>Invariant: a request whose outcome is unknown is sent again under the same key, until the answer is definite or
 * the caller's patience is at its end. Then it is told as unknown, never as failed. What has no key and would happen
 * twice is told so at once.
 */
@NullMarked
package dev.tallystick.client;

import org.jspecify.annotations.NullMarked;
