package dev.tallystick.log.receipt;

import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.ring.KeyRing;
import dev.tallystick.log.ring.Rotation;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * How well a checkpoint is vouched for.
 *
 * @param cosignedAt the time for which a quorum of witnesses vouches; empty without a quorum
 */
public record Standing(Checkpoint checkpoint, VerifierKey signedBy, Optional<Instant> cosignedAt) {

    /** As a person reads it. */
    public String words() {
        return cosignedAt.map(at -> "cosigned at " + at).orElse("signed, unwitnessed");
    }

    /** As {@link #words()}, with the state of the log that it is about. */
    public String asOf() {
        return "as of size " + checkpoint.size() + " of log " + checkpoint.origin() + ", " + words();
    }

    /**
     * Checks who signed and who cosigned.
     *
     * @throws IllegalArgumentException with the reason, if the trusted key or one that it named did not sign
     */
    static Standing of(SignedNote note, List<Rotation> rotations, Trust trust) {
        KeyRing ring = KeyRing.of(trust.key(), trust.currentKeyOnly() ? List.of() : rotations);
        Checkpoint checkpoint = ring.verify(note);
        boolean knownLog =
                trust.policy().logs().isEmpty() || trust.policy().logs().contains(trust.key());
        if (!knownLog) {
            throw new IllegalArgumentException("the policy does not name the key of this log");
        }
        return new Standing(
                checkpoint, ring.inForceAt(checkpoint.size()), trust.policy().cosignedAt(note));
    }
}
