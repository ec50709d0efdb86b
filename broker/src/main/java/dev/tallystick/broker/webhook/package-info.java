/**
 * Calls webhooks until they answer, with signed requests, and keeps the calls that were given up.
 *
 * <p>{@link dev.tallystick.broker.webhook.Webhooks} registers and calls; {@link dev.tallystick.broker.webhook.AddressPolicy} decides which addresses may be called.
 *
 * <p>Invariant: the address that is called is the one that was checked.
 */
@NullMarked
package dev.tallystick.broker.webhook;

import org.jspecify.annotations.NullMarked;
