package dev.tallystick.ledger.history;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tallystick.ledger.git.Digests;
import dev.tallystick.ledger.tx.TxHash;
import java.util.HexFormat;

/**
 * What a commit proves: the leaves it adds, and through {@code previous} everything before. {@code skip} is the root at
 * {@code position} with its lowest set bit cleared, so a proof from one root back to another takes a number of steps that grows
 * with the logarithm of the distance.
 *
 * @param position 0 for the first commit of a ledger, then one more for each commit with a root
 * @param merged the root of the other history that this commit merges, or empty
 */
public record ChainRoot(long position, String previous, String skip, int leaves, String merkle, String merged) {

    static final String NOTHING = "0".repeat(64);

    public ChainRoot {
        boolean hashes = isHash(previous) && isHash(skip) && isHash(merkle) && (merged.isEmpty() || isHash(merged));
        if (position < 0 || leaves < 0 || !hashes) {
            throw new IllegalArgumentException("not a root");
        }
    }

    /** The position that a root at {@code position} skips to; itself 0 for powers of two. */
    static long skipTarget(long position) {
        return position - Long.lowestOneBit(position);
    }

    /** The lines of the commit message that {@link #hash()} covers. */
    String lines() {
        String lines = "Tally-Version: 1\n"
                + "Tally-Position: " + position + "\n"
                + "Tally-Previous: " + previous + "\n"
                + "Tally-Skip: " + skip + "\n"
                + "Tally-Leaves: " + leaves + " " + merkle + "\n";
        return merged.isEmpty() ? lines : lines + "Tally-Merged: " + merged + "\n";
    }

    public String hash() {
        return HexFormat.of().formatHex(Digests.sha256().digest(lines().getBytes(US_ASCII)));
    }

    private static boolean isHash(String text) {
        return text.length() == TxHash.HEX && Digests.isLowerHex(text);
    }
}
