package dev.tallystick.ledger.history;

import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.GitObject;
import dev.tallystick.ledger.git.ObjectStore;
import dev.tallystick.ledger.git.ObjectType;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.git.Tree;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Every object reachable from some commits: commits first, then their contents. */
public final class Reachable {

    private static final int DIRECTORY = 0040000;
    private static final int SUBMODULE = 0160000;

    private final ObjectStore store;
    private final Set<Oid> seen = new HashSet<>();
    private final List<Oid> order = new ArrayList<>();

    private Reachable(ObjectStore store) {
        this.store = store;
    }

    public static List<Oid> from(ObjectStore store, List<Oid> tips) throws IOException {
        Reachable reachable = new Reachable(store);
        Deque<Oid> trees = new ArrayDeque<>();
        Deque<Oid> open = new ArrayDeque<>(tips);
        while (!open.isEmpty()) {
            Oid id = open.remove();
            GitObject object = store.read(id);
            switch (object.type()) {
                case COMMIT -> {
                    if (reachable.add(id)) {
                        Commit commit = Commit.parse(object.content());
                        trees.add(commit.tree());
                        open.addAll(commit.parents());
                    }
                }
                case TAG -> {
                    if (reachable.add(id)) {
                        open.add(tagged(object.content()));
                    }
                }
                case TREE -> trees.add(id);
                case BLOB -> reachable.add(id);
            }
        }
        reachable.follow(trees);
        return reachable.order;
    }

    private void follow(Deque<Oid> trees) throws IOException {
        while (!trees.isEmpty()) {
            Oid id = trees.remove();
            if (add(id)) {
                for (Tree.Entry entry : new Tree(store.read(id, ObjectType.TREE)).entries()) {
                    switch (entry.isDirectory() ? DIRECTORY : type(entry)) {
                        case DIRECTORY -> trees.add(entry.id());
                        case SUBMODULE -> {} // a commit of another repository
                        default -> add(entry.id());
                    }
                }
            }
        }
    }

    /** The type in a mode as Git reads it: others' trees may have zeros before it, or permissions that Git ignores. */
    private static int type(Tree.Entry entry) throws DamagedObjectException {
        if (!entry.mode().matches("[0-7]{1,9}")) {
            throw new DamagedObjectException("a tree has the mode '" + entry.mode() + "'");
        }
        return Integer.parseInt(entry.mode(), 8) & 0170000;
    }

    private boolean add(Oid id) {
        return seen.add(id) && order.add(id);
    }

    private static Oid tagged(byte[] tag) throws DamagedObjectException {
        String text = new String(tag, java.nio.charset.StandardCharsets.UTF_8);
        String hex = text.startsWith("object ") && text.length() >= 47 ? text.substring(7, 47) : "";
        if (!Oid.isHex(hex)) {
            throw new DamagedObjectException("a tag has no object");
        }
        return Oid.parse(hex);
    }
}
