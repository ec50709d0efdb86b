package dev.tallystick.log.files;

import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.tree.Hash;

/** What the database knows of the log: the size and root of the last batch that it dequeued. */
public record Anchor(long size, Hash root) {

    /** No batch yet. */
    public static final Anchor EMPTY = new Anchor(0, Hash.EMPTY_TREE);

    public static Anchor of(Checkpoint checkpoint) {
        return new Anchor(checkpoint.size(), checkpoint.root());
    }

    public boolean isEmpty() {
        return size == 0;
    }
}
