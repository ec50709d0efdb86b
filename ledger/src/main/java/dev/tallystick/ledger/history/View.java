package dev.tallystick.ledger.history;

import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.ObjectStore;
import dev.tallystick.ledger.git.ObjectType;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.git.Tree;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The ledger as of one commit. Never changes, whatever is written meanwhile. Thread-safe. */
public final class View {

    private final ObjectStore store;
    private final Oid commit;
    private final Oid tree;

    public View(ObjectStore store, Oid commit, Oid tree) {
        this.store = store;
        this.commit = commit;
        this.tree = tree;
    }

    /** The same ledger as of another commit. */
    public View at(Oid other) throws IOException {
        return new View(
                store, other, Commit.parse(store.read(other, ObjectType.COMMIT)).tree());
    }

    public Oid commit() {
        return commit;
    }

    public Oid tree() {
        return tree;
    }

    public Optional<StreamView> stream(StreamId id) throws IOException {
        Optional<Tree.Entry> directory = find(id.path());
        if (directory.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(stream(id, directory.get().id()));
    }

    /** The stream in {@code directory}. */
    StreamView stream(StreamId id, Oid directory) throws IOException {
        Tree root = tree(directory);
        Tree.Entry head = root.find(StreamView.HEAD)
                .orElseThrow(() -> new DamagedObjectException("stream " + id + " has no HEAD"));
        TxHash hash = TxHash.parseLine(store.read(head.id(), ObjectType.BLOB));
        return new StreamView(this, id, hash, newest(id, root), directory);
    }

    /** The stream in a directory, named by its newest transaction and checked to belong there. */
    public StreamView namedStream(Tree.Entry entry) throws IOException {
        if (!entry.name().matches("DOC_[0-9a-f]{64}")) {
            throw new DamagedObjectException("documents/ holds '" + entry.name() + "', which is not a stream");
        }
        StreamView found = stream(StreamId.of("unnamed", entry.name()), entry.id());
        StreamId id = found.newest().stream();
        if (!id.path().getLast().equals(entry.name())) {
            throw new DamagedObjectException(entry.name() + " holds the stream " + id);
        }
        return new StreamView(this, id, found.head(), found.version(), entry.id());
    }

    public Tree directory(Oid id) throws IOException {
        return tree(id);
    }

    public Optional<Tree.Entry> find(List<String> path) throws IOException {
        return find(tree, path);
    }

    Optional<Tree.Entry> find(Oid from, List<String> path) throws IOException {
        Tree.Entry at = new Tree.Entry(Tree.DIRECTORY, "", from);
        for (String name : path) {
            if (!at.isDirectory()) {
                return Optional.empty();
            }
            Optional<Tree.Entry> entry = tree(at.id()).find(name);
            if (entry.isEmpty()) {
                return Optional.empty();
            }
            at = entry.get();
        }
        return Optional.of(at);
    }

    public List<Tree.Entry> entries(Oid directory) throws IOException {
        return tree(directory).entries();
    }

    byte[] blob(Oid id) throws IOException {
        return store.read(id, ObjectType.BLOB);
    }

    private Tree tree(Oid id) throws IOException {
        return new Tree(store.read(id, ObjectType.TREE));
    }

    /** The last entry of each directory leads to the newest transaction; see {@link VersionPath}. */
    private int newest(StreamId id, Tree stream) throws IOException {
        Tree.Entry last = null;
        List<Tree.Entry> level = stream.entries();
        while (true) {
            Tree.Entry candidate = null;
            for (Tree.Entry entry : level) {
                boolean version =
                        !entry.name().equals(StreamView.HEAD) && !entry.name().equals(StreamView.MERGED);
                candidate = version ? entry : candidate;
            }
            if (candidate == null) {
                throw new DamagedObjectException("stream " + id + " has no transactions");
            }
            last = candidate;
            if (!last.isDirectory()) {
                return version(id, last.name());
            }
            level = entries(last.id());
        }
    }

    private static int version(StreamId id, String name) throws DamagedObjectException {
        if (!name.matches("[1-9][0-9]{0,8}")) {
            throw new DamagedObjectException("stream " + id + " holds a file '" + name + "'");
        }
        return Integer.parseInt(name);
    }
}
