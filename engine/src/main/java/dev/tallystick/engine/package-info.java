/**
 * Accepts jobs and runs them, each step recorded exactly once.
 *
 * <p>{@link dev.tallystick.engine.Engine} joins the rooms below: it accepts jobs, runs code and graphs, fires timers and delivers signals.
 * {@link dev.tallystick.engine.Deployments} stores graphs for all processes, {@link dev.tallystick.engine.TaskDesk} serves people.
 *
 * <p>Invariant: durable work commits together with the digit that proves it. If the digit is set, the work is done; if not, the
 * work is done again.
 *
 * <p>Knows nothing of HTTP, other parties, or Git.
 */
@NullMarked
package dev.tallystick.engine;

import org.jspecify.annotations.NullMarked;
