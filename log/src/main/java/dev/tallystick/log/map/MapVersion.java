package dev.tallystick.log.map;

import dev.tallystick.log.tree.Hash;

/**
 * The map after a batch.
 *
 * @param logSize the size of the log whose last entry is the head with this root
 * @param count how many leaves it has
 */
public record MapVersion(long logSize, Hash root, long count, NodeRef top) {

    static final MapVersion EMPTY = new MapVersion(0, MapLeaf.ABSENT, 0, NodeRef.ABSENT);
}
