package dev.tallystick.log.map;

import dev.tallystick.log.tree.Hash;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A batch of new leaves, worked out but not yet in the file. Only the nodes on the way to them are new. */
public final class Insertion {

    private final NodeFile file;
    private final long firstSlot;
    private final MapVersion before;
    private final ByteArrayOutputStream nodes = new ByteArrayOutputStream();
    private final MapVersion after;

    Insertion(NodeFile file, MapVersion before, long firstSlot, long logSize, List<MapLeaf> leaves)
            throws DamagedMapException, java.io.IOException {
        this.file = file;
        this.before = before;
        this.firstSlot = firstSlot;
        List<MapLeaf> sorted = new ArrayList<>(leaves);
        sorted.sort(Comparator.comparing(MapLeaf::tag, Hash::compareBits));
        for (int i = 1; i < sorted.size(); i++) {
            if (sorted.get(i - 1).tag().equals(sorted.get(i).tag())) {
                throw new DuplicateTagException(sorted.get(i).tag());
            }
        }
        NodeRef top = insert(before.top(), 0, sorted);
        this.after = new MapVersion(logSize, top.hash(), before.count() + leaves.size(), top);
    }

    private NodeRef insert(NodeRef node, int depth, List<MapLeaf> leaves) throws java.io.IOException {
        if (leaves.isEmpty()) {
            return node;
        }
        if (node.isAbsent()) {
            return build(depth, leaves);
        }
        if (node.isLeaf()) {
            return besides(node, file.leaf(node), depth, leaves);
        }
        NodeFile.Inner inner = file.inner(node);
        int middle = split(leaves, depth);
        return inner(
                insert(inner.left(), depth + 1, leaves.subList(0, middle)),
                insert(inner.right(), depth + 1, leaves.subList(middle, leaves.size())));
    }

    /** Moves a leaf down until its prefix distinguishes it from the new ones. The leaf itself stays where it is. */
    private NodeRef besides(NodeRef ref, MapLeaf there, int depth, List<MapLeaf> leaves) {
        if (leaves.isEmpty()) {
            return ref;
        }
        if (leaves.size() == 1 && leaves.getFirst().tag().equals(there.tag())) {
            throw new DuplicateTagException(there.tag());
        }
        int middle = split(leaves, depth);
        List<MapLeaf> left = leaves.subList(0, middle);
        List<MapLeaf> right = leaves.subList(middle, leaves.size());
        return there.tag().bit(depth)
                ? inner(build(depth + 1, left), besides(ref, there, depth + 1, right))
                : inner(besides(ref, there, depth + 1, left), build(depth + 1, right));
    }

    private NodeRef build(int depth, List<MapLeaf> leaves) {
        if (leaves.isEmpty()) {
            return NodeRef.ABSENT;
        }
        if (leaves.size() == 1) {
            MapLeaf leaf = leaves.getFirst();
            nodes.writeBytes(NodeFile.encode(leaf));
            return NodeRef.leaf(lastSlot(), leaf.hash());
        }
        int middle = split(leaves, depth);
        return inner(
                build(depth + 1, leaves.subList(0, middle)), build(depth + 1, leaves.subList(middle, leaves.size())));
    }

    private NodeRef inner(NodeRef left, NodeRef right) {
        nodes.writeBytes(NodeFile.encode(left, right));
        return NodeRef.inner(lastSlot(), MapLeaf.node(left.hash(), right.hash()));
    }

    private long lastSlot() {
        return firstSlot + nodes.size() / NodeFile.SLOT - 1;
    }

    /** How many leaves, which are sorted, have a zero bit at this depth. */
    private static int split(List<MapLeaf> leaves, int depth) {
        int low = 0;
        int high = leaves.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (leaves.get(middle).tag().bit(depth)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    public MapVersion before() {
        return before;
    }

    public MapVersion after() {
        return after;
    }

    long firstSlot() {
        return firstSlot;
    }

    byte[] nodes() {
        return nodes.toByteArray();
    }
}
