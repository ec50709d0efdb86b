package dev.tallystick.log.tree;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The roots of the complete subtrees that a tree consists of, largest first: all that is needed to append to it. Immutable.
 *
 * @param size the number of leaves
 * @param peaks one root for each bit that is set in {@code size}
 */
public record RightEdge(long size, List<Hash> peaks) {

    public static final RightEdge EMPTY = new RightEdge(0, List.of());

    public RightEdge {
        peaks = List.copyOf(peaks);
        if (size < 0 || peaks.size() != Long.bitCount(size)) {
            throw new IllegalArgumentException(peaks.size() + " peaks do not make a tree of size " + size);
        }
    }

    /** Reads the edge of a tree from its subtrees. */
    public static RightEdge read(long size, Subtrees subtrees) throws IOException {
        List<Hash> peaks = new ArrayList<>();
        long start = 0;
        for (long left = size; left > 0; left -= Long.highestOneBit(left)) {
            int level = 63 - Long.numberOfLeadingZeros(left);
            peaks.add(subtrees.hash(level, start >>> level));
            start += 1L << level;
        }
        return new RightEdge(size, peaks);
    }

    public RightEdge append(Hash leaf) {
        List<Hash> next = new ArrayList<>(peaks);
        Hash hash = leaf;
        for (long bits = size; (bits & 1) == 1; bits >>>= 1) {
            hash = Hash.node(next.removeLast(), hash);
        }
        next.add(hash);
        return new RightEdge(size + 1, next);
    }

    public Hash root() {
        if (size == 0) {
            return Hash.EMPTY_TREE;
        }
        Hash hash = peaks.getLast();
        for (int i = peaks.size() - 2; i >= 0; i--) {
            hash = Hash.node(peaks.get(i), hash);
        }
        return hash;
    }
}
