package dev.tallystick.log.tree;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Roots and proofs of RFC 6962, section 2.1. Makers read the hashes of complete subtrees; verifiers need nothing but the proof.
 */
public final class MerkleProofs {

    /** No proof is longer: a tree has fewer than 2^63 leaves. */
    public static final int LONGEST = 63;

    private MerkleProofs() {}

    /** The root of the first {@code size} leaves. */
    public static Hash root(long size, Subtrees subtrees) throws IOException {
        requireSize(size);
        return size == 0 ? Hash.EMPTY_TREE : range(0, size, subtrees);
    }

    /** The root over a list of entries, for trees small enough to hold in memory. */
    public static Hash root(List<byte[]> entries) {
        RightEdge edge = RightEdge.EMPTY;
        for (byte[] entry : entries) {
            edge = edge.append(Hash.leaf(entry));
        }
        return edge.root();
    }

    /** The siblings from the leaf up to the root. */
    public static List<Hash> inclusion(long index, long size, Subtrees subtrees) throws IOException {
        requireSize(size);
        if (index < 0 || index >= size) {
            throw new IllegalArgumentException("no leaf " + index + " in a tree of size " + size);
        }
        List<Hash> proof = new ArrayList<>();
        path(index, 0, size, subtrees, proof);
        return proof;
    }

    private static void path(long index, long start, long end, Subtrees subtrees, List<Hash> proof) throws IOException {
        if (end - start == 1) {
            return;
        }
        long middle = start + split(end - start);
        if (index < middle) {
            path(index, start, middle, subtrees, proof);
            proof.add(range(middle, end, subtrees));
        } else {
            path(index, middle, end, subtrees, proof);
            proof.add(range(start, middle, subtrees));
        }
    }

    /** What shows that the tree of the old size is the beginning of the tree of the new size; empty from size 0. */
    public static List<Hash> consistency(long oldSize, long size, Subtrees subtrees) throws IOException {
        requireSize(size);
        if (oldSize < 0 || oldSize > size) {
            throw new IllegalArgumentException("size " + oldSize + " does not come before size " + size);
        }
        List<Hash> proof = new ArrayList<>();
        if (oldSize > 0 && oldSize < size) {
            subproof(oldSize, 0, size, true, subtrees, proof);
        }
        return proof;
    }

    private static void subproof(long oldSize, long start, long end, boolean known, Subtrees subtrees, List<Hash> proof)
            throws IOException {
        if (oldSize == end) {
            if (!known) {
                proof.add(range(start, end, subtrees));
            }
            return;
        }
        long middle = start + split(end - start);
        if (oldSize <= middle) {
            subproof(oldSize, start, middle, known, subtrees, proof);
            proof.add(range(middle, end, subtrees));
        } else {
            subproof(oldSize, middle, end, false, subtrees, proof);
            proof.add(range(start, middle, subtrees));
        }
    }

    private static Hash range(long start, long end, Subtrees subtrees) throws IOException {
        long leaves = end - start;
        if (Long.bitCount(leaves) == 1) {
            int level = Long.numberOfTrailingZeros(leaves);
            return subtrees.hash(level, start >>> level);
        }
        long middle = start + split(leaves);
        return Hash.node(range(start, middle, subtrees), range(middle, end, subtrees));
    }

    /** The largest power of two below a number of leaves. */
    private static long split(long leaves) {
        return Long.highestOneBit(leaves - 1);
    }

    /** Whether the proof leads from this leaf hash to this root. */
    public static boolean includes(Hash root, long size, long index, Hash leaf, List<Hash> proof) {
        if (index < 0 || index >= size || proof.size() > LONGEST) {
            return false;
        }
        long at = index;
        long last = size - 1;
        Hash hash = leaf;
        for (Hash sibling : proof) {
            if (last == 0) {
                return false;
            }
            if ((at & 1) == 1 || at == last) {
                hash = Hash.node(sibling, hash);
                while ((at & 1) == 0 && at != 0) {
                    at >>>= 1;
                    last >>>= 1;
                }
            } else {
                hash = Hash.node(hash, sibling);
            }
            at >>>= 1;
            last >>>= 1;
        }
        return last == 0 && hash.equals(root);
    }

    /** Whether the proof shows that the old tree is the beginning of the new one. */
    public static boolean consistent(long oldSize, Hash oldRoot, long size, Hash root, List<Hash> proof) {
        if (oldSize < 0 || oldSize > size || proof.size() > LONGEST) {
            return false;
        }
        if (oldSize == 0) {
            return proof.isEmpty() && oldRoot.equals(Hash.EMPTY_TREE);
        }
        if (oldSize == size) {
            return proof.isEmpty() && oldRoot.equals(root);
        }
        List<Hash> hashes = new ArrayList<>(proof);
        if (Long.bitCount(oldSize) == 1) {
            hashes.addFirst(oldRoot);
        }
        if (hashes.isEmpty()) {
            return false;
        }
        long at = oldSize - 1;
        long last = size - 1;
        while ((at & 1) == 1) {
            at >>>= 1;
            last >>>= 1;
        }
        Hash older = hashes.getFirst();
        Hash newer = hashes.getFirst();
        for (Hash hash : hashes.subList(1, hashes.size())) {
            if (last == 0) {
                return false;
            }
            if ((at & 1) == 1 || at == last) {
                older = Hash.node(hash, older);
                newer = Hash.node(hash, newer);
                while ((at & 1) == 0 && at != 0) {
                    at >>>= 1;
                    last >>>= 1;
                }
            } else {
                newer = Hash.node(newer, hash);
            }
            at >>>= 1;
            last >>>= 1;
        }
        return last == 0 && older.equals(oldRoot) && newer.equals(root);
    }

    private static void requireSize(long size) {
        if (size < 0) {
            throw new IllegalArgumentException("a tree has no negative size: " + size);
        }
    }
}
