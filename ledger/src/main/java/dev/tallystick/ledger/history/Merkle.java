package dev.tallystick.ledger.history;

import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.Digests;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** The Merkle tree of RFC 6962 over a commit's leaves, in the order of their hashes. */
public final class Merkle {

    private Merkle() {}

    /** A sibling on the way up, and its side. */
    record Step(String sibling, boolean siblingIsLeft) {}

    public static String root(List<Leaf> leaves) {
        if (leaves.isEmpty()) {
            return HexFormat.of().formatHex(Digests.sha256().digest());
        }
        List<byte[]> level = sorted(leaves);
        while (level.size() > 1) {
            level = parents(level);
        }
        return HexFormat.of().formatHex(level.getFirst());
    }

    static List<Step> path(List<Leaf> leaves, Leaf leaf) throws DamagedObjectException {
        List<Leaf> order = leaves.stream().sorted().toList();
        int index = order.indexOf(leaf);
        if (index < 0) {
            throw new DamagedObjectException("a commit does not hold the transaction that its tree adds");
        }
        List<Step> path = new ArrayList<>();
        List<byte[]> level = sorted(leaves);
        while (level.size() > 1) {
            int sibling = index ^ 1;
            if (sibling < level.size()) {
                path.add(new Step(HexFormat.of().formatHex(level.get(sibling)), sibling < index));
            }
            level = parents(level);
            index /= 2;
        }
        return path;
    }

    private static List<byte[]> sorted(List<Leaf> leaves) {
        return new ArrayList<>(leaves.stream().sorted().map(Leaf::raw).toList());
    }

    /** A last node without a sibling moves up unchanged, which gives the tree of RFC 6962. */
    private static List<byte[]> parents(List<byte[]> level) {
        List<byte[]> parents = new ArrayList<>((level.size() + 1) / 2);
        for (int i = 0; i + 1 < level.size(); i += 2) {
            parents.add(node(level.get(i), level.get(i + 1)));
        }
        if (level.size() % 2 == 1) {
            parents.add(level.getLast());
        }
        return parents;
    }

    private static byte[] node(byte[] left, byte[] right) {
        MessageDigest sha256 = Digests.sha256();
        sha256.update((byte) 1);
        sha256.update(left);
        return sha256.digest(right);
    }
}
