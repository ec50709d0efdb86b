package dev.tallystick.ledger.history;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.ledger.git.Digests;
import dev.tallystick.ledger.tx.TxHash;
import java.util.HexFormat;

/** One fact under a commit's root: a transaction, or a file of the ledger itself (a key, a schema). */
public record Leaf(String hex) implements Comparable<Leaf> {

    public static Leaf of(TxHash transaction) {
        return hashed("t", transaction.raw());
    }

    public static Leaf of(String path, byte[] content) {
        return hashed("f" + path + "\0", Digests.sha256().digest(content));
    }

    byte[] raw() {
        return HexFormat.of().parseHex(hex);
    }

    @Override
    public int compareTo(Leaf other) {
        return hex.compareTo(other.hex);
    }

    /** RFC 6962: a leaf's hash begins with 0 and a node's with 1, so that they cannot be confused. */
    private static Leaf hashed(String kind, byte[] hash) {
        var sha256 = Digests.sha256();
        sha256.update((byte) 0);
        sha256.update(kind.getBytes(UTF_8));
        return new Leaf(HexFormat.of().formatHex(sha256.digest(hash)));
    }
}
