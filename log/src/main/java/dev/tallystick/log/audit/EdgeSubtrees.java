package dev.tallystick.log.audit;

import dev.tallystick.log.tree.Hash;
import dev.tallystick.log.tree.RightEdge;
import dev.tallystick.log.tree.Subtrees;
import java.util.List;

/** The complete subtrees of a tree of which only the right edge and a few leaves after it are known. */
record EdgeSubtrees(RightEdge edge, List<Hash> leaves) implements Subtrees {

    @Override
    public Hash hash(int level, long index) {
        long start = index << level;
        if (level == 0 && start >= edge.size()) {
            return leaves.get((int) (start - edge.size()));
        }
        long peakStart = 0;
        int peak = 0;
        for (long left = edge.size(); left > 0; left -= Long.highestOneBit(left)) {
            if (peakStart == start && Long.highestOneBit(left) == 1L << level) {
                return edge.peaks().get(peak);
            }
            peakStart += Long.highestOneBit(left);
            peak++;
        }
        if (level == 0) {
            throw new IllegalArgumentException("leaf " + index + " is not at the right edge");
        }
        return Hash.node(hash(level - 1, 2 * index), hash(level - 1, 2 * index + 1));
    }
}
