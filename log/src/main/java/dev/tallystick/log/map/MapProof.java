package dev.tallystick.log.map;

import dev.tallystick.log.tree.Hash;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What stands in the map where a tag belongs.
 *
 * @param siblings the hashes beside the way from the root down
 * @param leaf the leaf at the end of that way; another tag's, or null, if the tag is absent
 */
public record MapProof(List<Hash> siblings, @Nullable MapLeaf leaf) {

    /** A tag has no more bits. */
    public static final int LONGEST = Hash.BYTES * 8;

    public MapProof {
        siblings = List.copyOf(siblings);
        if (siblings.size() > LONGEST) {
            throw new IllegalArgumentException("a proof has at most 256 hashes, not " + siblings.size());
        }
    }

    /** What the proof shows for this tag in the map with this root. Wrong proofs show nothing. */
    public Optional<Shown> check(Hash tag, Hash root) {
        if (leaf != null && leaf.tag().commonBits(tag) < siblings.size()) {
            return Optional.empty();
        }
        Hash hash = leaf == null ? MapLeaf.ABSENT : leaf.hash();
        for (int depth = siblings.size() - 1; depth >= 0; depth--) {
            Hash sibling = siblings.get(depth);
            hash = tag.bit(depth) ? MapLeaf.node(sibling, hash) : MapLeaf.node(hash, sibling);
        }
        if (!hash.equals(root)) {
            return Optional.empty();
        }
        if (leaf != null && leaf.tag().equals(tag)) {
            return Optional.of(new Shown.Present(leaf.commitment()));
        }
        return Optional.of(new Shown.Absent());
    }

    /** What a proof shows. */
    public sealed interface Shown {

        /** The map has the tag, with this commitment. */
        record Present(Hash commitment) implements Shown {}

        /** The map does not have the tag. */
        record Absent() implements Shown {}
    }
}
