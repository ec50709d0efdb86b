package dev.tallystick.ledger;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds again the leaves that a commit added, by comparing its tree with its parent's. Reads only what differs. */
final class CommitLeaves {

    private final ObjectStore store;
    private final List<Leaf> leaves = new ArrayList<>();

    private CommitLeaves(ObjectStore store) {
        this.store = store;
    }

    static List<Leaf> of(ObjectStore store, Commit commit) throws IOException {
        CommitLeaves found = new CommitLeaves(store);
        Tree before = Tree.empty();
        Optional<Oid> parent = commit.parent();
        if (parent.isPresent()) {
            Oid tree = Commit.parse(store.read(parent.get(), ObjectType.COMMIT)).tree();
            before = new Tree(store.read(tree, ObjectType.TREE));
        }
        Tree after = new Tree(store.read(commit.tree(), ObjectType.TREE));
        for (String name : Layout.GUARDED) {
            Optional<Tree.Entry> entry = after.find(name);
            if (entry.isPresent() && !entry.equals(before.find(name))) {
                found.compare(name, before.find(name).orElse(null), entry.get());
            }
        }
        return found.leaves;
    }

    private void compare(String path, Tree.@Nullable Entry old, Tree.Entry now) throws IOException {
        if (now.isDirectory()) {
            Tree before = old == null ? Tree.empty() : tree(old);
            for (Tree.Entry entry : tree(now).entries()) {
                Optional<Tree.Entry> same = before.find(entry.name());
                if (!same.equals(Optional.of(entry))) {
                    compare(path + "/" + entry.name(), same.orElse(null), entry);
                }
            }
        } else if (!path.startsWith(Layout.DOCUMENTS + "/")) {
            leaves.add(Leaf.of(path, store.read(now.id(), ObjectType.BLOB)));
        } else if (!path.endsWith("/" + StreamView.HEAD)) {
            leaves.add(Leaf.of(TxHash.of(store.read(now.id(), ObjectType.BLOB))));
        }
    }

    private Tree tree(Tree.Entry entry) throws IOException {
        return new Tree(store.read(entry.id(), ObjectType.TREE));
    }
}
