/**
 * Runs jobs and graphs drawn from a seed under faults drawn from the same seed, and compares what happened with rules and with
 * an interpreter that has no database. Planted bugs show that these checks would notice.
 */
@NullMarked
package dev.tallystick.engine.simulation;

import org.jspecify.annotations.NullMarked;
