package dev.tallystick.ledger.verifier;

import dev.tallystick.ledger.verifier.git.Hashes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The roots of the commits that were checked, and what each skips to: about 80 bytes a commit. */
final class Links {

    private static final int ROOT = 32;

    /**
     * A root and what it skips to, as far as that is known. Of a foreign commit: the root that it stands on.
     *
     * @param number of the commit that bears it
     * @param keys the tree of keys that came with it: they tell who signs the next one
     * @param skip the number of the link that it skips to, -1 if that is not known
     */
    record Link(int number, long position, String root, String keys, int skip) {}

    private final CommitIds commits = new CommitIds();

    /** The number of the commit whose root this one stands on: its own, but for a foreign commit. */
    private int[] bearers = new int[64];

    private long[] positions = new long[64];
    private byte[] roots = new byte[64 * ROOT];
    private int[] skips = new int[64];
    private int[] keys = new int[64];
    private final List<String> keyTrees = new ArrayList<>();
    private final Map<String, Integer> keyNumbers = new HashMap<>();

    /** The newest root at or before a commit; null if there is none. */
    @Nullable
    Link find(String commit) {
        int number = commits.find(commit);
        return number < 0 ? null : link(bearers[number]);
    }

    /** A commit that bears a root. */
    Link add(String commit, long position, String root, String keyTree, @Nullable Link skip) {
        int number = number(commit);
        bearers[number] = number;
        positions[number] = position;
        HexFormat hex = HexFormat.of();
        System.arraycopy(
                Hashes.isHex(root, 2 * ROOT) ? hex.parseHex(root) : new byte[ROOT], 0, roots, number * ROOT, ROOT);
        skips[number] = skip == null ? -1 : skip.number;
        keys[number] = keyNumbers.computeIfAbsent(keyTree, tree -> {
            keyTrees.add(tree);
            return keyTrees.size() - 1;
        });
        return link(number);
    }

    /** A commit that bears none and stands on that of another. */
    void addForeign(String commit, Link base) {
        // Numbering a commit may replace the array.
        int number = number(commit);
        bearers[number] = base.number;
    }

    /** The link at {@code position} or before it, going back from {@code from} by skips; null if it is not known. */
    @Nullable
    Link back(@Nullable Link from, long position) {
        int at = from == null ? -1 : from.number;
        while (at >= 0 && positions[at] > position) {
            at = skips[at];
        }
        return at < 0 ? null : link(at);
    }

    private Link link(int number) {
        String root = HexFormat.of().formatHex(roots, number * ROOT, (number + 1) * ROOT);
        return new Link(number, positions[number], root, keyTrees.get(keys[number]), skips[number]);
    }

    private int number(String commit) {
        int found = commits.find(commit);
        int number = found >= 0 ? found : commits.add(commit);
        if (number >= bearers.length) {
            int larger = Math.multiplyExact(number, 3) / 2;
            bearers = Arrays.copyOf(bearers, larger);
            positions = Arrays.copyOf(positions, larger);
            roots = Arrays.copyOf(roots, Math.multiplyExact(larger, ROOT));
            skips = Arrays.copyOf(skips, larger);
            keys = Arrays.copyOf(keys, larger);
        }
        return number;
    }
}
