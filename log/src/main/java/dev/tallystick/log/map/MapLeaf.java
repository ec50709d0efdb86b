package dev.tallystick.log.map;

import dev.tallystick.log.tree.Hash;

/** A tag, and the commitment that the log has for it. */
public record MapLeaf(Hash tag, Hash commitment) {

    private static final byte[] LEAF = {2};
    private static final byte[] NODE = {3};

    /** The hash of an absent child, and the root of the empty map. */
    public static final Hash ABSENT = Hash.of(new byte[Hash.BYTES]);

    public Hash hash() {
        return Hash.sha256(LEAF, tag.bytes(), commitment.bytes());
    }

    static Hash node(Hash left, Hash right) {
        return Hash.sha256(NODE, left.bytes(), right.bytes());
    }
}
