/**
 * Witnesses: one of our own, which cosigns a checkpoint only if it follows from the last one that it cosigned, and the client that
 * asks others.
 *
 * <p>Main types: {@link dev.tallystick.log.witness.Witness}, which speaks the bodies and status codes of C2SP tlog-witness;
 * {@link dev.tallystick.log.witness.WitnessServer}, which puts it on the net; {@link dev.tallystick.log.witness.Witnesses}, which
 * collects cosignatures for a log.
 *
 * <p>Invariant: no two cosignatures of a witness are on histories that part. The state is on disk before an answer is given. Of an
 * answer that comes from outside only a signature that verifies is kept.
 *
 * <p>Knows nothing of what an entry says.
 */
@NullMarked
package dev.tallystick.log.witness;

import org.jspecify.annotations.NullMarked;
