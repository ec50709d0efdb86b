package dev.tallystick.ledger;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A tree with changes that are not written yet. Only the directories on the way to a change are read, and each is written
 * once however many changes it holds. Not thread-safe.
 */
final class TreeEdit {

    private final ObjectStore store;
    private final @Nullable Oid original;
    private final Tree tree;
    private final Map<String, TreeEdit> directories = new HashMap<>();
    private boolean filesChanged;

    private TreeEdit(ObjectStore store, @Nullable Oid original, Tree tree) {
        this.store = store;
        this.original = original;
        this.tree = tree;
    }

    static TreeEdit empty(ObjectStore store) {
        return new TreeEdit(store, null, Tree.empty());
    }

    static TreeEdit of(ObjectStore store, Oid tree) throws IOException {
        return new TreeEdit(store, tree, new Tree(store.read(tree, ObjectType.TREE)));
    }

    /** The directory of this name, made if it is not there. */
    TreeEdit directory(String name) throws IOException {
        TreeEdit known = directories.get(name);
        if (known != null) {
            return known;
        }
        Optional<Tree.Entry> entry = tree.find(name);
        if (entry.isPresent() && !entry.get().isDirectory()) {
            throw new DamagedObjectException("'" + name + "' is to be a directory and is not");
        }
        TreeEdit edit = entry.isPresent() ? of(store, entry.get().id()) : empty(store);
        directories.put(name, edit);
        return edit;
    }

    TreeEdit directory(List<String> path) throws IOException {
        TreeEdit edit = this;
        for (String name : path) {
            edit = edit.directory(name);
        }
        return edit;
    }

    /** The entry of this name, as it was before changes in the directory that it names. */
    Optional<Tree.Entry> entry(String name) throws IOException {
        return tree.find(name);
    }

    void put(String name, Oid file) throws IOException {
        tree.put(Tree.FILE, name, file);
        filesChanged = true;
    }

    /** Puts a directory that is in the store already in this place, whatever was there. */
    void graft(String name, Oid directory) throws IOException {
        directories.remove(name);
        tree.put(Tree.DIRECTORY, name, directory);
        filesChanged = true;
    }

    /** Puts an entry as another tree has it. */
    void replace(Tree.Entry entry) throws IOException {
        remove(entry.name());
        tree.put(entry.mode(), entry.name(), entry.id());
        filesChanged = true;
    }

    void remove(String name) throws IOException {
        directories.remove(name);
        tree.remove(name);
        filesChanged = true;
    }

    boolean isChanged() {
        return filesChanged || directories.values().stream().anyMatch(TreeEdit::isChanged);
    }

    /** Writes what changed. A directory that has become empty is left out, as Git does. */
    Oid writeTo(PackBuilder pack) throws IOException {
        if (original != null && !isChanged()) {
            return original;
        }
        for (Map.Entry<String, TreeEdit> directory : directories.entrySet()) {
            if (directory.getValue().isChanged()) {
                Oid written = directory.getValue().writeTo(pack);
                if (written.equals(Tree.EMPTY)) {
                    tree.remove(directory.getKey());
                } else {
                    tree.put(Tree.DIRECTORY, directory.getKey(), written);
                }
            }
        }
        return pack.add(ObjectType.TREE, tree.bytes());
    }
}
