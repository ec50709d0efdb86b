package dev.tallystick.log.map;

import dev.tallystick.log.tree.Hash;

/** Where a node is in the file, and the hash that it must have. */
record NodeRef(long pointer, Hash hash) {

    static final NodeRef ABSENT = new NodeRef(0, MapLeaf.ABSENT);

    static NodeRef leaf(long slot, Hash hash) {
        return new NodeRef(slot << 1 | 1, hash);
    }

    static NodeRef inner(long slot, Hash hash) {
        return new NodeRef(slot << 1, hash);
    }

    boolean isAbsent() {
        return pointer == 0;
    }

    boolean isLeaf() {
        return (pointer & 1) == 1;
    }

    long slot() {
        return pointer >>> 1;
    }
}
