package dev.tallystick.ledger.history;

import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.git.Tree;
import dev.tallystick.ledger.tx.Collection;
import dev.tallystick.ledger.tx.Listed;
import dev.tallystick.ledger.tx.Op;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.Tx;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Walks the tree in order, reading only what is listed. */
public final class Listing {

    private Listing() {}

    public static List<Collection> collections(View view) throws IOException {
        List<Collection> collections = new ArrayList<>();
        for (Tree.Entry entry : below(view, List.of(Layout.DOCUMENTS))) {
            try {
                collections.add(new Collection(entry.name()));
            } catch (IllegalArgumentException e) {
                throw new DamagedObjectException(
                        "documents/ holds something else than collections: " + e.getMessage(), e);
            }
        }
        return List.copyOf(collections);
    }

    public static List<Listed> streams(View view, Collection collection, String after, int limit) throws IOException {
        List<Listed> listed = new ArrayList<>();
        Set<Oid> met = new HashSet<>();
        for (Tree.Entry first : below(view, List.of(Layout.DOCUMENTS, collection.name()))) {
            if (ends(first.name(), after)) {
                continue;
            }
            for (Tree.Entry second : view.entries(first.id())) {
                String prefix = first.name() + "/" + second.name();
                if (ends(prefix, after)) {
                    continue;
                }
                // A few directories that are in many places would have no end.
                if (!met.add(second.id())) {
                    throw new DamagedObjectException(prefix + " is a directory that belongs elsewhere");
                }
                for (Tree.Entry stream : view.entries(second.id())) {
                    String path = prefix + "/" + stream.name();
                    if (listed.size() == limit) {
                        return List.copyOf(listed);
                    }
                    if (path.compareTo(after) > 0) {
                        listed.add(listed(view, collection, stream, path));
                    }
                }
            }
        }
        return List.copyOf(listed);
    }

    /** Whether everything under {@code prefix} comes at or before {@code after}. */
    private static boolean ends(String prefix, String after) {
        return !after.startsWith(prefix) && prefix.compareTo(after) < 0;
    }

    private static Listed listed(View view, Collection collection, Tree.Entry entry, String path) throws IOException {
        StreamId placeholder = new StreamId(collection, path);
        StreamView found = view.stream(placeholder, entry.id());
        Tx newest = found.newest();
        List<String> expected = newest.stream().path();
        if (!expected.getLast().equals(entry.name())) {
            throw new DamagedObjectException(path + " holds the stream " + newest.stream());
        }
        boolean deleted = newest.op() != Op.PATCH && newest.snapshot().isEmpty();
        return new Listed(newest.stream(), found.version(), found.head(), deleted, path);
    }

    private static List<Tree.Entry> below(View view, List<String> path) throws IOException {
        Optional<Tree.Entry> directory = view.find(path);
        return directory.isPresent() ? view.entries(directory.get().id()) : List.of();
    }
}
