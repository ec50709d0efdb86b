package dev.tallystick.ledger.git;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A tree with unwritten changes. Reads only the directories on the way to a change, and writes each of them once, however many
 * changes it holds. Not thread-safe.
 */
public final class TreeEdit {

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

    public static TreeEdit empty(ObjectStore store) {
        return new TreeEdit(store, null, Tree.empty());
    }

    public static TreeEdit of(ObjectStore store, Oid tree) throws IOException {
        return new TreeEdit(store, tree, new Tree(store.read(tree, ObjectType.TREE)));
    }

    /** The directory of this name, created if missing. */
    public TreeEdit directory(String name) throws IOException {
        TreeEdit known = directories.get(name);
        if (known != null) {
            return known;
        }
        Optional<Tree.Entry> entry = tree.find(name);
        if (entry.isPresent() && !entry.get().isDirectory()) {
            throw new DamagedObjectException("'" + name + "' is not a directory");
        }
        TreeEdit edit = entry.isPresent() ? of(store, entry.get().id()) : empty(store);
        directories.put(name, edit);
        return edit;
    }

    public TreeEdit directory(List<String> path) throws IOException {
        TreeEdit edit = this;
        for (String name : path) {
            edit = edit.directory(name);
        }
        return edit;
    }

    /** The entry of this name, without unwritten changes in its directory. */
    public Optional<Tree.Entry> entry(String name) throws IOException {
        return tree.find(name);
    }

    public void put(String name, Oid file) throws IOException {
        tree.put(Tree.FILE, name, file);
        filesChanged = true;
    }

    /** Puts a stored directory in this place, replacing what was there. */
    public void graft(String name, Oid directory) throws IOException {
        directories.remove(name);
        tree.put(Tree.DIRECTORY, name, directory);
        filesChanged = true;
    }

    /** Copies an entry of another tree. */
    public void replace(Tree.Entry entry) throws IOException {
        remove(entry.name());
        tree.put(entry.mode(), entry.name(), entry.id());
        filesChanged = true;
    }

    public void remove(String name) throws IOException {
        directories.remove(name);
        tree.remove(name);
        filesChanged = true;
    }

    boolean isChanged() {
        return filesChanged || directories.values().stream().anyMatch(TreeEdit::isChanged);
    }

    /** Writes the changes. Empty directories are left out, as in Git. */
    public Oid writeTo(PackBuilder pack) throws IOException {
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
