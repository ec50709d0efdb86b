package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** RFC 6962's root, by its definition: split at the largest power of two below the count. */
final class MerkleRoot {

    private final List<String> leaves = new ArrayList<>();

    void addTransaction(String hash) {
        leaves.add(Hashes.hex(Hashes.sha256(
                new byte[] {0}, "t".getBytes(UTF_8), HexFormat.of().parseHex(hash))));
    }

    void addFile(String path, byte[] content) {
        byte[] data = ("f" + path + "\0").getBytes(UTF_8);
        leaves.add(Hashes.hex(Hashes.sha256(new byte[] {0}, data, Hashes.sha256(content))));
    }

    int count() {
        return leaves.size();
    }

    String root() {
        List<byte[]> sorted =
                leaves.stream().sorted().map(HexFormat.of()::parseHex).toList();
        return Hashes.hex(sorted.isEmpty() ? Hashes.sha256() : root(sorted));
    }

    private static byte[] root(List<byte[]> leaves) {
        if (leaves.size() == 1) {
            return leaves.getFirst();
        }
        int split = Integer.highestOneBit(leaves.size() - 1);
        byte[] left = root(leaves.subList(0, split));
        byte[] right = root(leaves.subList(split, leaves.size()));
        return Hashes.sha256(new byte[] {1}, left, right);
    }
}
