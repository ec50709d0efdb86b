/**
 * The log as a plain directory: bundles, hash tiles, the tail that does not fill a tile, the key map and the checkpoint.
 *
 * <p>Main types: {@link dev.tallystick.log.files.LogDirectory}, which plans, writes and commits batches and hands out proofs;
 * {@link dev.tallystick.log.files.BatchPlan}; {@link dev.tallystick.log.files.LogAlarm}.
 *
 * <p>Invariant: a file is complete or absent, and never replaced, except for the checkpoint, which only moves forward. The
 * directory is where its anchor says, or ahead of it by the one intended batch; anything else is an alarm that stops the writer
 * and changes nothing.
 *
 * <p>Knows no database: the caller keeps the intent before {@link dev.tallystick.log.files.LogDirectory#write} and moves the
 * anchor after {@link dev.tallystick.log.files.LogDirectory#commit}.
 */
@NullMarked
package dev.tallystick.log.files;

import org.jspecify.annotations.NullMarked;
