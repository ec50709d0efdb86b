package dev.tallystick.ledger.verifier;

import dev.tallystick.ledger.verifier.git.Hashes;
import dev.tallystick.ledger.verifier.git.LooseObject;
import dev.tallystick.ledger.verifier.git.ObjectCache;
import dev.tallystick.ledger.verifier.git.PackFile;
import dev.tallystick.ledger.verifier.git.PackWindow;
import dev.tallystick.ledger.verifier.git.StoredObject;
import dev.tallystick.ledger.verifier.git.Unsound;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Every object file of a repository. What is handed out has the id that was asked for. A writer may join packs meanwhile: its
 * new pack is there before the old ones go, so what is not found is looked for once more in the packs of that moment.
 *
 * <p>Keeps what was read last, as much as fits into a share of the memory. Not thread-safe.
 */
final class ObjectFiles implements AutoCloseable {

    private static final long LARGEST_CACHE = 32L << 20;
    private static final int WINDOW = 16 << 10;

    private final Path objects;
    private final Findings findings;
    private final List<PackFile> packs = new ArrayList<>();
    private final Set<String> known = new HashSet<>();
    private final PackWindow window = new PackWindow(WINDOW);
    private final ObjectCache<StoredObject> cache;
    private final ObjectCache<Tree> trees;

    ObjectFiles(Path objects, Findings findings) throws IOException {
        this.objects = objects;
        this.findings = findings;
        long share = Math.min(LARGEST_CACHE, Runtime.getRuntime().maxMemory() / 12);
        this.cache = new ObjectCache<>(share);
        this.trees = new ObjectCache<>(share);
        openPacks();
    }

    /** Opens the packs that are not open yet. */
    private void openPacks() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(objects.resolve("pack"), "pack-*.pack")) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                if (known.contains(name) || !Files.exists(file.resolveSibling(name.replace(".pack", ".idx")))) {
                    continue; // open already, or unfinished: a crash left it, and nothing refers to it
                }
                try {
                    packs.add(new PackFile(file, cache));
                    known.add(name);
                } catch (NoSuchFileException | FileNotFoundException e) {
                    // Joined to another pack a moment ago.
                } catch (Unsound e) {
                    known.add(name);
                    findings.add(Finding.Kind.OBJECT, name, e.detail());
                }
            }
        }
    }

    byte[] read(String id, String type) throws IOException, Unsound {
        StoredObject object = cache.find(id);
        if (object == null) {
            object = readFile(id);
            cache.put(id, object, object.content().length);
        }
        return checked(id, object, type).content();
    }

    /** The tree of this id; the empty tree if the id is empty. */
    Tree tree(String id) throws IOException, Unsound {
        if (id.isEmpty()) {
            return Tree.EMPTY;
        }
        Tree tree = trees.find(id);
        if (tree == null) {
            byte[] content = checked(id, readFile(id), "tree").content();
            tree = Tree.parse(content);
            trees.put(id, tree, Tree.weight(content));
        }
        return tree;
    }

    /** A directory of the ledger's, which is not empty; the empty tree if the id is empty. */
    Tree directory(String id) throws IOException, Unsound {
        Tree tree = tree(id);
        if (!id.isEmpty() && tree.size() == 0) {
            throw new Unsound("a directory is empty");
        }
        return tree;
    }

    private static StoredObject checked(String id, StoredObject object, String type) throws Unsound {
        if (!object.type().equals(type)) {
            throw new Unsound("object " + id + " is a " + object.type() + ", not a " + type);
        }
        return object;
    }

    /** Begins to read all files from front to back. */
    Audit audit(Watcher watcher) throws IOException {
        return Audit.start(packs, objects, watcher);
    }

    @Override
    public void close() {
        window.close();
    }

    private StoredObject readFile(String id) throws IOException, Unsound {
        if (!Hashes.isHex(id, 40)) {
            throw new Unsound("an object that is needed is not there");
        }
        StoredObject found;
        try {
            found = find(id);
            if (found == null) {
                openPacks();
                found = find(id);
            }
        } catch (RuntimeException | OutOfMemoryError | InternalError e) {
            throw new Unsound("object " + id + " cannot be read: " + e);
        }
        if (found == null) {
            throw new Unsound("object " + id + " is missing");
        }
        if (!found.id().equals(id)) {
            throw new Unsound("object " + id + " is damaged");
        }
        return found;
    }

    /** Objects that are needed together lie together mostly, so the packs that were of use last are asked first. */
    private @Nullable StoredObject find(String id) throws IOException, Unsound {
        byte[] wanted = HexFormat.of().parseHex(id);
        for (int i = 0; i < packs.size(); i++) {
            Optional<StoredObject> found = packs.get(i).find(wanted, window);
            if (found.isPresent()) {
                Collections.swap(packs, i, i / 2);
                return found.get();
            }
        }
        Path file = objects.resolve(id.substring(0, 2)).resolve(id.substring(2));
        return Files.exists(file) ? LooseObject.read(file) : null;
    }
}
