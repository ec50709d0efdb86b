/**
 * Does the work of a server's topics in this process.
 *
 * <p>{@link dev.tallystick.client.worker.Worker} claims work, keeps its leases alive and reports results.
 *
 * <p>Invariant: a result is reported until the answer is definite, or the lease is lost.
 */
@NullMarked
package dev.tallystick.client.worker;

import org.jspecify.annotations.NullMarked;
