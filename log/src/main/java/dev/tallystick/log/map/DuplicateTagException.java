package dev.tallystick.log.map;

import dev.tallystick.log.tree.Hash;

/** A tag would be in the map twice: a second acceptance of a key, or a second secret of a member. Nothing was inserted. */
public final class DuplicateTagException extends RuntimeException {

    private final transient Hash tag;

    DuplicateTagException(Hash tag) {
        super("the tag " + tag + " is already in the key map");
        this.tag = tag;
    }

    public Hash tag() {
        return tag;
    }
}
