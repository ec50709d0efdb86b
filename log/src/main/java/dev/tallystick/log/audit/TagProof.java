package dev.tallystick.log.audit;

import dev.tallystick.log.map.MapLeaf;
import dev.tallystick.log.map.MapProof;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.receipt.SealedEntry;
import dev.tallystick.log.ring.Rotation;
import dev.tallystick.log.tree.Hash;
import java.util.List;

/**
 * What the key map of an audited log has where a tag belongs, and all that others need to check it.
 *
 * @param head the head entry that ends the log of the checkpoint
 */
public record TagProof(SignedNote checkpoint, List<Rotation> rotations, SealedEntry head, MapProof proof) {

    public TagProof {
        rotations = List.copyOf(rotations);
    }

    /** Whether the map has the tag that was looked up. */
    public boolean has(Hash tag) {
        MapLeaf leaf = proof.leaf();
        return leaf != null && leaf.tag().equals(tag);
    }
}
