package dev.tallystick.ledger;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds the streams in which two states of a ledger differ. Reads only what differs, however the two came about. */
final class ChangedStreams {

    private static final int LEVELS = 4;

    /** What is done with a stream that differs; one of the two is null where the stream is not there. */
    interface Sink {
        void changed(@Nullable StreamView before, @Nullable StreamView after) throws IOException;
    }

    private final View before;
    private final View after;
    private final Sink sink;

    private ChangedStreams(View before, View after, Sink sink) {
        this.before = before;
        this.after = after;
        this.sink = sink;
    }

    static void between(View before, View after, Sink sink) throws IOException {
        Optional<Tree.Entry> old = before.find(List.of(Layout.DOCUMENTS));
        Optional<Tree.Entry> now = after.find(List.of(Layout.DOCUMENTS));
        new ChangedStreams(before, after, sink).compare(0, old, now);
    }

    /** Everything that there is, as if there had been nothing before. */
    static void all(View after, Sink sink) throws IOException {
        Optional<Tree.Entry> now = after.find(List.of(Layout.DOCUMENTS));
        new ChangedStreams(after, after, sink).compare(0, Optional.empty(), now);
    }

    /** How many transactions, from the first on, both have in common. */
    static int common(@Nullable StreamView before, @Nullable StreamView after) throws IOException {
        if (before == null || after == null) {
            return 0;
        }
        int common = Math.min(before.version(), after.version());
        while (common > 0 && !before.file(common).equals(after.file(common))) {
            common--;
        }
        return common;
    }

    private void compare(int level, Optional<Tree.Entry> old, Optional<Tree.Entry> now) throws IOException {
        if (old.equals(now)) {
            return;
        }
        if (level == LEVELS) {
            sink.changed(stream(before, old), stream(after, now));
            return;
        }
        Tree left = old.isPresent() ? before.directory(old.get().id()) : Tree.empty();
        Tree right = now.isPresent() ? after.directory(now.get().id()) : Tree.empty();
        TreeSet<String> names = new TreeSet<>();
        left.entries().forEach(entry -> names.add(entry.name()));
        right.entries().forEach(entry -> names.add(entry.name()));
        for (String name : names) {
            compare(level + 1, left.find(name), right.find(name));
        }
    }

    private static @Nullable StreamView stream(View view, Optional<Tree.Entry> entry) throws IOException {
        return entry.isPresent() ? view.namedStream(entry.get()) : null;
    }
}
