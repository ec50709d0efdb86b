/**
 * The C2SP text formats around a log: signed notes, checkpoints, cosignatures of witnesses, policies and proofs.
 *
 * <p>Main types: {@link dev.tallystick.log.note.SignedNote} and its keys, {@link dev.tallystick.log.note.NoteSigner} and
 * {@link dev.tallystick.log.note.VerifierKey}; {@link dev.tallystick.log.note.Checkpoint};
 * {@link dev.tallystick.log.note.Policy}; {@link dev.tallystick.log.note.TlogProof}.
 *
 * <p>Invariant: a parsed value, written again, gives the same text. Parsers are bounded and refuse with an
 * {@link java.lang.IllegalArgumentException} that says why.
 *
 * <p>Knows nothing of files or of what an entry says.
 */
@NullMarked
package dev.tallystick.log.note;

import org.jspecify.annotations.NullMarked;
