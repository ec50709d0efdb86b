package dev.tallystick.log.tree;

import java.io.IOException;

/** Reads the roots of complete subtrees. At level 0 these are the hashes of leaves. */
@FunctionalInterface
public interface Subtrees {

    /** The root over the leaves from {@code index << level} to {@code (index + 1) << level}, excluded. */
    Hash hash(int level, long index) throws IOException;
}
