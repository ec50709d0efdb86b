package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.ledger.verifier.git.GitNames;
import dev.tallystick.ledger.verifier.git.Unsound;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A directory: names in Git's order, each with its mode and the id of what it names. It is what {@code git fsck} accepts, or
 * refused. Kept as Git stores it, because most entries are only compared with those of another tree: names and ids become text
 * when they are asked for.
 */
final class Tree {

    static final Tree EMPTY = new Tree(new byte[0], new int[1], new int[0]);

    private static final int ID = 20;
    private static final byte[] DIRECTORY = "40000 ".getBytes(UTF_8);
    private static final byte[] FILE = "100644 ".getBytes(UTF_8);
    private static final byte[][] MODES = {
        DIRECTORY, FILE, "100755 ".getBytes(UTF_8), "120000 ".getBytes(UTF_8), "160000 ".getBytes(UTF_8)
    };

    private final byte[] bytes;

    /** Where each entry begins; the last one is where the tree ends. */
    private final int[] begins;

    /** Where each entry's name begins. */
    private final int[] names;

    private Tree(byte[] bytes, int[] begins, int[] names) {
        this.bytes = bytes;
        this.begins = begins;
        this.names = names;
    }

    record Entry(String name, String id, boolean isDirectory, boolean isFile) {}

    /** A name that two trees do not agree on. */
    record Difference(
            String name, @Nullable Entry before, @Nullable Entry after) {

        String idBefore() {
            return before == null ? "" : before.id;
        }
    }

    static Tree parse(byte[] bytes) throws Unsound {
        int[] begins = new int[bytes.length / (ID + DIRECTORY.length + 2) + 2];
        int[] names = new int[begins.length];
        int count = 0;
        int at = 0;
        boolean maybeTwice = false;
        while (at < bytes.length) {
            int name = at;
            while (name < bytes.length && bytes[name] != ' ' && bytes[name] != 0) {
                name++;
            }
            int zero = ++name;
            while (zero < bytes.length && bytes[zero] != 0) {
                maybeTwice |= bytes[zero] > 0 && bytes[zero] < '/';
                zero++;
            }
            if (zero + 1 + ID > bytes.length || zero == name || name == at + 1 || bytes[name - 1] != ' ') {
                throw new Unsound("a tree is cut short");
            }
            checkMode(bytes, at, name);
            GitNames.check(bytes, name, zero);
            begins[count] = at;
            names[count++] = name;
            at = zero + 1 + ID;
        }
        begins[count] = at;
        Tree tree = new Tree(bytes, Arrays.copyOf(begins, count + 1), Arrays.copyOf(names, count));
        tree.checkNames(maybeTwice);
        return tree;
    }

    /** Only the modes that Git writes today: it reads many others, and pads, as one of these. */
    private static void checkMode(byte[] bytes, int begin, int end) throws Unsound {
        for (byte[] mode : MODES) {
            if (Arrays.equals(bytes, begin, end, mode, 0, mode.length)) {
                return;
            }
        }
        throw new Unsound("a tree has an entry with mode " + new String(bytes, begin, end - begin - 1, ISO_8859_1));
    }

    /**
     * Names must ascend in Git's order, in which a directory's ends with a slash. A file and a directory of the same name are
     * neighbours then, unless something lies between them that has a character before the slash.
     */
    private void checkNames(boolean maybeTwice) throws Unsound {
        for (int i = 1; i < size(); i++) {
            if (compareNames(this, i - 1, this, i) >= 0 || sameName(i - 1, i)) {
                throw new Unsound("a tree's names are not in order, at '" + name(i) + "'");
            }
        }
        if (maybeTwice) {
            Set<String> seen = new HashSet<>();
            for (int i = 0; i < size(); i++) {
                if (!seen.add(new String(bytes, names[i], nameEnd(i) - names[i], ISO_8859_1))) {
                    throw new Unsound("a tree names '" + name(i) + "' twice");
                }
            }
        }
    }

    /** What it takes of memory, about. */
    static int weight(byte[] bytes) {
        return bytes.length + 8 * (bytes.length / (ID + 10));
    }

    int size() {
        return names.length;
    }

    String name(int i) {
        return new String(bytes, names[i], nameEnd(i) - names[i], UTF_8);
    }

    Entry entry(int i) {
        String id = HexFormat.of().formatHex(bytes, begins[i + 1] - ID, begins[i + 1]);
        return new Entry(name(i), id, isDirectory(i), hasMode(i, FILE));
    }

    List<Entry> entries() {
        List<Entry> entries = new ArrayList<>(size());
        for (int i = 0; i < size(); i++) {
            entries.add(entry(i));
        }
        return entries;
    }

    /** The entry of this name, or null if there is none. */
    @Nullable
    Entry find(String name) {
        byte[] wanted = name.getBytes(UTF_8);
        int at = search(wanted, (byte) 0);
        at = at < 0 ? search(wanted, (byte) '/') : at;
        return at < 0 ? null : entry(at);
    }

    /** The id under this name, or empty if there is none. */
    String id(String name) {
        Entry entry = find(name);
        return entry == null ? "" : entry.id;
    }

    /** The names that are not in both with the same mode and id, in Git's order. */
    static List<Difference> differences(Tree before, Tree after) {
        List<Difference> differences = new ArrayList<>();
        int i = 0;
        int j = 0;
        while (i < before.size() || j < after.size()) {
            if (i < before.size() && j < after.size() && sameEntry(before, i, after, j)) {
                i++;
                j++;
                continue;
            }
            int order = i == before.size() ? 1 : j == after.size() ? -1 : compareNames(before, i, after, j);
            Entry old = order <= 0 ? before.entry(i++) : null;
            Entry now = order >= 0 ? after.entry(j++) : null;
            String name = old != null ? old.name : now != null ? now.name : "";
            differences.add(new Difference(name, old, now));
        }
        return differences;
    }

    private int search(byte[] wanted, byte end) {
        int low = 0;
        int high = size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = compare(bytes, names[middle], nameEnd(middle), suffix(middle), wanted, 0, wanted.length, end);
            if (order == 0) {
                return middle;
            }
            low = order < 0 ? middle + 1 : low;
            high = order > 0 ? middle - 1 : high;
        }
        return -1;
    }

    private static int compareNames(Tree one, int i, Tree other, int j) {
        return compare(
                one.bytes,
                one.names[i],
                one.nameEnd(i),
                one.suffix(i),
                other.bytes,
                other.names[j],
                other.nameEnd(j),
                other.suffix(j));
    }

    /** Compares two names as if each were followed by its suffix. */
    private static int compare(
            byte[] one, int from, int to, byte suffix, byte[] other, int otherFrom, int otherTo, byte otherSuffix) {
        int common = Math.min(to - from, otherTo - otherFrom);
        int order = Arrays.compareUnsigned(one, from, from + common, other, otherFrom, otherFrom + common);
        if (order != 0) {
            return order;
        }
        int next = from + common < to ? one[from + common] & 0xff : suffix;
        int otherNext = otherFrom + common < otherTo ? other[otherFrom + common] & 0xff : otherSuffix;
        if (next != otherNext) {
            return Integer.compare(next, otherNext);
        }
        return Integer.compare(to - from, otherTo - otherFrom);
    }

    private static boolean sameEntry(Tree one, int i, Tree other, int j) {
        return Arrays.equals(
                one.bytes, one.begins[i], one.begins[i + 1], other.bytes, other.begins[j], other.begins[j + 1]);
    }

    private boolean sameName(int i, int j) {
        return Arrays.equals(bytes, names[i], nameEnd(i), bytes, names[j], nameEnd(j));
    }

    private int nameEnd(int i) {
        return begins[i + 1] - ID - 1;
    }

    private byte suffix(int i) {
        return isDirectory(i) ? (byte) '/' : 0;
    }

    boolean isDirectory(int i) {
        return hasMode(i, DIRECTORY);
    }

    private boolean hasMode(int i, byte[] mode) {
        return Arrays.equals(bytes, begins[i], names[i], mode, 0, mode.length);
    }
}
