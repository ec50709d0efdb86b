package dev.tallystick.log.ring;

import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.TlogProof;
import dev.tallystick.log.note.VerifierKey;

/**
 * The proof that a key named its successor: the entry, and its inclusion under the last checkpoint that the old key signs.
 *
 * @param entry the bytes of a {@link LogEntry.KeyRotation}
 */
public record Rotation(byte[] entry, TlogProof proof) {

    public Rotation {
        entry = entry.clone();
    }

    /** The key that signs all sizes beyond {@link #lastSize()}. */
    public VerifierKey next() {
        if (LogEntry.parse(entry) instanceof LogEntry.KeyRotation rotation) {
            return rotation.next();
        }
        throw new IllegalArgumentException("a rotation's entry is of another type");
    }

    /** The last size that the old key signs. */
    public long lastSize() {
        return checkpoint().size();
    }

    Checkpoint checkpoint() {
        return Checkpoint.parse(proof.checkpoint().text());
    }
}
