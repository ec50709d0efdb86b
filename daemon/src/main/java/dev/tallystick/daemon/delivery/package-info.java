/**
 * Delivery: sends the rows of the outbox to the server, each under its own key, until the answer is definite.
 *
 * <p>{@link dev.tallystick.daemon.delivery.Courier} decides when and to which destination; a lane sends the rows of one
 * destination in order; {@link dev.tallystick.daemon.delivery.Verdict} says what an answer means for a row; {@link
 * dev.tallystick.daemon.delivery.Upstream} is the server as seen from here.
 *
 * <p>Invariant: a row dies only by a definite, permanent refusal of the server that holds for every attempt, or with its
 * outcome called unknown. This package does not know who accepted the rows.
 */
@NullMarked
package dev.tallystick.daemon.delivery;

import org.jspecify.annotations.NullMarked;
