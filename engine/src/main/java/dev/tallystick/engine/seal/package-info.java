/**
 * Seals jobs: takes what became true of them from the queue, writes it into the log, and hands out receipts.
 *
 * <p>Main types: {@link dev.tallystick.engine.seal.Sealer}, of which one among any number of processes works at a time;
 * {@link dev.tallystick.engine.seal.Receipts}, which works in every process.
 *
 * <p>Invariant: a fact that committed is sealed exactly once, after all facts that it depends on. The log is where the anchor in
 * the database says, or ahead of it by the one recorded intent; anything else raises the alarm and changes nothing.
 *
 * <p>Knows the tables of jobs and keys, and not how they are written.
 */
@NullMarked
package dev.tallystick.engine.seal;

import org.jspecify.annotations.NullMarked;
