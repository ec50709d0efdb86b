package dev.tallystick.exchange.signing;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;

/** The Merkle tree of RFC 6962 over a list of statements. */
final class MerkleTree {

    static final int HASH = 32;

    private static final byte LEAF = 0;
    private static final byte NODE = 1;

    /** All levels from the leaves up; an odd last node moves up unchanged, which is the tree of RFC 6962. */
    private final List<List<byte[]>> levels = new ArrayList<>();

    MerkleTree(List<byte[]> statements) {
        List<byte[]> level = new ArrayList<>(statements.size());
        for (byte[] statement : statements) {
            level.add(leaf(statement));
        }
        levels.add(level);
        while (level.size() > 1) {
            List<byte[]> above = new ArrayList<>((level.size() + 1) / 2);
            for (int i = 0; i + 1 < level.size(); i += 2) {
                above.add(node(level.get(i), level.get(i + 1)));
            }
            if (level.size() % 2 == 1) {
                above.add(level.getLast());
            }
            levels.add(above);
            level = above;
        }
    }

    byte[] root() {
        return levels.getLast().getFirst();
    }

    /** The siblings on the way from a leaf to the root. */
    List<byte[]> path(int index) {
        List<byte[]> path = new ArrayList<>();
        int at = index;
        for (List<byte[]> level : levels.subList(0, levels.size() - 1)) {
            int sibling = at ^ 1;
            if (sibling < level.size()) {
                path.add(level.get(sibling));
            }
            at /= 2;
        }
        return path;
    }

    /**
     * The root of a tree of this size that has the statement at this index.
     *
     * @throws IllegalArgumentException if the path has another length than that tree's
     */
    static byte[] root(byte[] statement, int index, int size, List<byte[]> path) {
        byte[] hash = leaf(statement);
        int at = index;
        int last = size - 1;
        int used = 0;
        while (last > 0) {
            if (at < last || at % 2 == 1) {
                if (used == path.size()) {
                    throw new IllegalArgumentException("the path is too short");
                }
                byte[] sibling = path.get(used++);
                hash = at % 2 == 1 ? node(sibling, hash) : node(hash, sibling);
            }
            at /= 2;
            last /= 2;
        }
        if (used != path.size()) {
            throw new IllegalArgumentException("the path is too long");
        }
        return hash;
    }

    private static byte[] leaf(byte[] statement) {
        MessageDigest digest = sha256();
        digest.update(LEAF);
        return digest.digest(statement);
    }

    private static byte[] node(byte[] left, byte[] right) {
        MessageDigest digest = sha256();
        digest.update(NODE);
        digest.update(left);
        return digest.digest(right);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
