package dev.tallystick.ledger.history;

import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.git.Tree;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds the streams in which two states of a ledger differ. Reads only the differences, whatever their history. */
public final class ChangedStreams {

    private static final int LEVELS = 4;

    /** Receives each stream that differs. */
    public interface Sink {

        /** Either one is null if it lacks the stream. */
        void changed(String path, @Nullable StreamView before, @Nullable StreamView after) throws IOException;

        /** A stream or directory cannot be read in the newer state; its contents count as absent. */
        default void damaged(String path, DamagedObjectException why) throws IOException {
            throw why;
        }
    }

    private final View before;
    private final View after;
    private final Sink sink;

    /** What belongs to one path belongs to no other; a few trees that name each other would have no end. */
    private final Set<Compared> compared = new HashSet<>();

    private record Compared(@Nullable Oid before, @Nullable Oid after) {}

    private ChangedStreams(View before, View after, Sink sink) {
        this.before = before;
        this.after = after;
        this.sink = sink;
    }

    public static void between(View before, View after, Sink sink) throws IOException {
        Tree.Entry old = before.find(List.of(Layout.DOCUMENTS)).orElse(null);
        Tree.Entry now = after.find(List.of(Layout.DOCUMENTS)).orElse(null);
        new ChangedStreams(before, after, sink).compare(Layout.DOCUMENTS, 0, old, now);
    }

    /** Visits everything, as if the older state were empty. */
    public static void all(View after, Sink sink) throws IOException {
        Tree.Entry now = after.find(List.of(Layout.DOCUMENTS)).orElse(null);
        new ChangedStreams(after, after, sink).compare(Layout.DOCUMENTS, 0, null, now);
    }

    /** The number of leading transactions that both have in common. */
    public static int common(@Nullable StreamView before, @Nullable StreamView after) throws IOException {
        if (before == null || after == null) {
            return 0;
        }
        int high = Math.min(before.version(), after.version());
        if (high == 0 || before.file(high).equals(after.file(high))) {
            return high;
        }
        int low = 0;
        while (low < high - 1) {
            int middle = (low + high) >>> 1;
            if (before.file(middle).equals(after.file(middle))) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private void compare(String path, int level, Tree.@Nullable Entry old, Tree.@Nullable Entry now)
            throws IOException {
        if (Objects.equals(old, now)) {
            return;
        }
        if (level == LEVELS) {
            StreamView left = old == null ? null : before.namedStream(old);
            StreamView right = readable(path, now, after::namedStream);
            if (left != null || right != null) {
                sink.changed(path, left, right);
            }
            return;
        }
        if (!compared.add(new Compared(old == null ? null : old.id(), now == null ? null : now.id()))) {
            sink.damaged(path, new DamagedObjectException(path + " is a directory that belongs elsewhere"));
            return;
        }
        Tree left = old == null ? null : before.directory(old.id());
        Tree right = readable(path, now, entry -> after.directory(entry.id()));
        Map<String, Tree.Entry> olds = entries(left);
        Map<String, Tree.Entry> nows = entries(right);
        TreeSet<String> names = new TreeSet<>(olds.keySet());
        names.addAll(nows.keySet());
        for (String name : names) {
            compare(path + "/" + name, level + 1, olds.get(name), nows.get(name));
        }
    }

    private interface Read<T> {
        T of(Tree.Entry entry) throws IOException;
    }

    private <T> @Nullable T readable(String path, Tree.@Nullable Entry entry, Read<T> read) throws IOException {
        if (entry == null) {
            return null;
        }
        try {
            return read.of(entry);
        } catch (DamagedObjectException e) {
            sink.damaged(path, e);
            return null;
        }
    }

    private static Map<String, Tree.Entry> entries(@Nullable Tree tree) throws IOException {
        Map<String, Tree.Entry> entries = new HashMap<>();
        for (Tree.Entry entry : tree == null ? List.<Tree.Entry>of() : tree.entries()) {
            entries.put(entry.name(), entry);
        }
        return entries;
    }
}
