package dev.tallystick.ledger.copies;

import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.Tree;
import dev.tallystick.ledger.git.TreeEdit;
import dev.tallystick.ledger.history.Layout;
import dev.tallystick.ledger.history.View;
import dev.tallystick.ledger.verifier.Verifier;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Merges the files in the tree that do not belong to the ledger: a change made by one history since the base is taken, file by
 * file. If both changed a file differently, its authors must settle it.
 */
final class ForeignFiles {

    private final View base;
    private final View second;

    ForeignFiles(View base, View second) {
        this.base = base;
        this.second = second;
    }

    /** Applies the second history's changes to {@code edit}, the first one's tree; returns the reason if that is impossible. */
    Optional<String> join(TreeEdit edit) throws IOException {
        return join("", edit, base.directory(base.tree()), second.directory(second.tree()));
    }

    private Optional<String> join(String path, TreeEdit edit, Tree before, Tree theirs) throws IOException {
        if (!Verifier.acceptsTree(before.bytes()) || !Verifier.acceptsTree(theirs.bytes())) {
            throw new DamagedObjectException("'" + path + "' is a tree that git fsck does not accept");
        }
        TreeSet<String> names = new TreeSet<>();
        before.entries().forEach(entry -> names.add(entry.name()));
        theirs.entries().forEach(entry -> names.add(entry.name()));
        if (path.isEmpty()) {
            names.removeAll(Layout.GUARDED);
        }
        Optional<String> refused = Optional.empty();
        for (String name : names) {
            if (refused.isEmpty()) {
                Tree.Entry old = before.find(name).orElse(null);
                refused = join(path + name, name, edit, old, theirs.find(name).orElse(null));
            }
        }
        return refused;
    }

    private Optional<String> join(
            String path, String name, TreeEdit edit, Tree.@Nullable Entry before, Tree.@Nullable Entry theirs)
            throws IOException {
        Tree.Entry ours = edit.entry(name).orElse(null);
        if (Objects.equals(theirs, before) || Objects.equals(theirs, ours)) {
            return Optional.empty();
        }
        if (Objects.equals(ours, before)) {
            if (theirs == null) {
                edit.remove(name);
            } else {
                edit.replace(theirs);
            }
            return Optional.empty();
        }
        if (ours != null && ours.isDirectory() && theirs != null && theirs.isDirectory()) {
            Tree common = before != null && before.isDirectory() ? base.directory(before.id()) : Tree.empty();
            return join(path + "/", edit.directory(name), common, second.directory(theirs.id()));
        }
        return Optional.of("both copies changed '" + path + "', which does not belong to the ledger;"
                + " make it the same in both with a git commit, then merge again");
    }
}
