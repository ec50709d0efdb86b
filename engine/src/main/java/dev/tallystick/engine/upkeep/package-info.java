/**
 * What happens without a caller: timers, unfinished completions, retention, and the watch for jobs whose code is gone. And
 * the erasure of jobs, which deletes the same rows as retention does.
 *
 * <p>Invariant: any number of processes may do this at once, and each thing happens once.
 */
@NullMarked
package dev.tallystick.engine.upkeep;

import org.jspecify.annotations.NullMarked;
