/**
 * A client of a server, in plain Java over HTTP.
 *
 * <p>{@link dev.tallystick.client.TallyClient} submits jobs, and leads to a small class for everything else a server does;
 * {@link dev.tallystick.client.EventStream} reads events as they happen, {@link dev.tallystick.client.mint.KeyMint} generates the keys
 * of requests, {@link dev.tallystick.client.Worker} does the work of a server's topics.
 *
 * <p>Invariant: a request whose outcome is unknown is sent again under the same key, until the answer is definite or the
 * caller's patience runs out. Then the outcome is reported as unknown, never as failed. A request that has no key and would
 * take effect twice is reported as unknown at once.
 */
@NullMarked
package dev.tallystick.client;

import org.jspecify.annotations.NullMarked;
