package dev.tallystick.ledger.history;

import dev.tallystick.ledger.git.ObjectStore;
import dev.tallystick.ledger.git.ObjectType;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.git.Tree;
import dev.tallystick.ledger.tx.TxHash;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reconstructs the leaves that a commit added by comparing its tree with its parents'. Reads only the differences. */
final class CommitLeaves {

    private final ObjectStore store;
    private final List<Leaf> leaves = new ArrayList<>();

    private CommitLeaves(ObjectStore store) {
        this.store = store;
    }

    static List<Leaf> of(ObjectStore store, Commit commit) throws IOException {
        CommitLeaves found = new CommitLeaves(store);
        List<Tree> before = new ArrayList<>();
        for (Oid parent : commit.parents()) {
            Oid tree = Commit.parse(store.read(parent, ObjectType.COMMIT)).tree();
            before.add(new Tree(store.read(tree, ObjectType.TREE)));
        }
        Tree after = new Tree(store.read(commit.tree(), ObjectType.TREE));
        for (String name : Layout.GUARDED) {
            Optional<Tree.Entry> entry = after.find(name);
            if (entry.isPresent()) {
                found.compare(name, before, entry.get());
            }
        }
        return found.leaves;
    }

    /** Follows an entry unless a parent has it too: a merge takes over what was signed before. */
    private void compare(String path, List<Tree> parents, Tree.Entry now) throws IOException {
        List<Tree> below = new ArrayList<>();
        for (Tree parent : parents) {
            Optional<Tree.Entry> same = parent.find(now.name());
            if (same.equals(Optional.of(now))) {
                return;
            }
            if (same.isPresent() && same.get().isDirectory()) {
                below.add(tree(same.get()));
            }
        }
        if (now.isDirectory()) {
            for (Tree.Entry entry : tree(now).entries()) {
                if (!(inStream(path) && entry.name().equals(StreamView.MERGED))) {
                    compare(path + "/" + entry.name(), below, entry);
                }
            }
        } else if (!path.startsWith(Layout.DOCUMENTS + "/")) {
            leaves.add(Leaf.of(path, store.read(now.id(), ObjectType.BLOB)));
        } else if (!path.endsWith("/" + StreamView.HEAD)) {
            leaves.add(Leaf.of(TxHash.of(store.read(now.id(), ObjectType.BLOB))));
        }
    }

    private static boolean inStream(String path) {
        return path.chars().filter(c -> c == '/').count() == 4;
    }

    private Tree tree(Tree.Entry entry) throws IOException {
        return new Tree(store.read(entry.id(), ObjectType.TREE));
    }
}
