package dev.tallystick.ledger;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
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
        Tree.Entry old = before.find(List.of(Layout.DOCUMENTS)).orElse(null);
        Tree.Entry now = after.find(List.of(Layout.DOCUMENTS)).orElse(null);
        new ChangedStreams(before, after, sink).compare(0, old, now);
    }

    /** Everything that there is, as if there had been nothing before. */
    static void all(View after, Sink sink) throws IOException {
        Tree.Entry now = after.find(List.of(Layout.DOCUMENTS)).orElse(null);
        new ChangedStreams(after, after, sink).compare(0, null, now);
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

    private void compare(int level, Tree.@Nullable Entry old, Tree.@Nullable Entry now) throws IOException {
        if (Objects.equals(old, now)) {
            return;
        }
        if (level == LEVELS) {
            sink.changed(stream(before, old), stream(after, now));
            return;
        }
        Tree left = old == null ? Tree.empty() : before.directory(old.id());
        Tree right = now == null ? Tree.empty() : after.directory(now.id());
        TreeSet<String> names = new TreeSet<>();
        left.entries().forEach(entry -> names.add(entry.name()));
        right.entries().forEach(entry -> names.add(entry.name()));
        for (String name : names) {
            compare(level + 1, left.find(name).orElse(null), right.find(name).orElse(null));
        }
    }

    private static @Nullable StreamView stream(View view, Tree.@Nullable Entry entry) throws IOException {
        return entry == null ? null : view.namedStream(entry);
    }
}
