/**
 * Starts jobs by the clock of the database.
 *
 * <p>{@link dev.tallystick.engine.schedule.Scheduler} fires {@link dev.tallystick.engine.schedule.Schedule}s at the moments of their {@link dev.tallystick.engine.schedule.Cron}.
 *
 * <p>Invariant: a moment starts at most one job, whatever the clocks of the processes say.
 */
@NullMarked
package dev.tallystick.engine.schedule;

import org.jspecify.annotations.NullMarked;
