package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.ledger.verifier.git.Hashes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** RFC 6962's root, by its definition: split at the largest power of two below the count. */
final class MerkleRoot {

    private static final byte[] LEAF = {0};
    private static final byte[] NODE = {1};
    private static final byte[] TRANSACTION = {'t'};

    private final List<byte[]> leaves = new ArrayList<>();

    void addTransaction(String hash) {
        leaves.add(Hashes.sha256(LEAF, TRANSACTION, HexFormat.of().parseHex(hash)));
    }

    void addFile(String path, byte[] content) {
        byte[] data = ("f" + path + "\0").getBytes(UTF_8);
        leaves.add(Hashes.sha256(LEAF, data, Hashes.sha256(content)));
    }

    int count() {
        return leaves.size();
    }

    String root() {
        leaves.sort(Arrays::compareUnsigned);
        return Hashes.hex(leaves.isEmpty() ? Hashes.sha256() : root(leaves));
    }

    private static byte[] root(List<byte[]> leaves) {
        if (leaves.size() == 1) {
            return leaves.getFirst();
        }
        int split = Integer.highestOneBit(leaves.size() - 1);
        byte[] left = root(leaves.subList(0, split));
        byte[] right = root(leaves.subList(split, leaves.size()));
        return Hashes.sha256(NODE, left, right);
    }
}
