/**
 * The values that the rooms of the engine pass to each other: identities, leases, the two legs, checkpoints, new jobs, settings.
 *
 * <p>{@link dev.tallystick.engine.model.Checkpoint} is what one commit of a job writes; {@link dev.tallystick.engine.model.NewJob} is a job from its making to its first step;
 * {@link dev.tallystick.engine.model.Guid} identifies a transition.
 *
 * <p>Invariant: values are immutable and hold no connection.
 *
 * <p>Knows nothing of SQL and of how work is run.
 */
@NullMarked
package dev.tallystick.engine.model;

import org.jspecify.annotations.NullMarked;
