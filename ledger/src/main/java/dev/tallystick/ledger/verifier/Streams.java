package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The streams of documents: what a commit adds to them, and what they are in the end. */
final class Streams {

    static final String HEAD = "HEAD";
    static final String MERGED = "merged";

    /** From the tree of documents down to a stream. */
    static final int LEVELS = 4;

    /** So many transactions of a damaged stream are asked for its name. */
    private static final int ASKED = 10;

    /** A version of nine digits lies below so many directories. */
    private static final int DEEPEST = 9;

    private final ObjectFiles objects;
    private final Findings findings;
    private final String newestTree;
    private long count;

    /** @param newestTree where streams can be asked for their names, or empty */
    Streams(ObjectFiles objects, Findings findings, String newestTree) {
        this.objects = objects;
        this.findings = findings;
        this.newestTree = newestTree;
    }

    long count() {
        return count;
    }

    /** The newest transaction of every stream must be the one its HEAD names, and lie where it belongs. */
    void checkNewest(String tree) throws IOException {
        try {
            String documents = tree(tree).id("documents");
            for (String collection : tree(documents).entries().keySet()) {
                Tree outer = tree(tree(documents).id(collection));
                for (String first : outer.entries().keySet()) {
                    Tree inner = tree(outer.id(first));
                    for (String second : inner.entries().keySet()) {
                        for (Map.Entry<String, Tree.Entry> stream :
                                tree(inner.id(second)).entries().entrySet()) {
                            checkNewest(
                                    collection,
                                    first,
                                    second,
                                    stream.getKey(),
                                    stream.getValue().id());
                        }
                    }
                }
            }
        } catch (Unsound e) {
            findings.add(Finding.Kind.OBJECT, "documents", e.detail());
        }
    }

    /** Follows every difference between two trees of documents; returns how many transactions were added. */
    long checkAdded(SignedCommit commit, String before, String after, MerkleRoot leaves) throws IOException {
        long added = 0;
        for (Changed stream : changedStreams(commit, before, after)) {
            added += checkStream(stream, leaves);
        }
        return added;
    }

    /** Names what a commit that bears no root has done to streams. */
    void checkUntouched(SignedCommit commit, String before, String after) throws IOException {
        for (Changed stream : changedStreams(commit, before, after)) {
            String where = named(stream.path, stream.before, stream.after);
            String detail = "was changed by commit " + commit.id() + ", which bears no root";
            findings.add(Finding.Kind.HISTORY, where, touched(stream), detail);
        }
    }

    /** The newest transaction that was added, or changed; its version if it cannot be read. */
    private String touched(Changed stream) throws IOException {
        TreeMap<Integer, String> changed = new TreeMap<>();
        try {
            collectChanged(stream.before, stream.after, 0, changed);
            return changed.isEmpty()
                    ? ""
                    : Transaction.parse(objects.read(changed.lastEntry().getValue(), "blob"))
                            .id();
        } catch (Unsound e) {
            return changed.isEmpty() ? "" : changed.lastKey().toString();
        }
    }

    /** The files of versions that two directories do not share. Follows what is there, whatever a name claims to be. */
    private void collectChanged(String before, String after, int depth, Map<Integer, String> changed)
            throws IOException, Unsound {
        Tree old = tree(before);
        for (Map.Entry<String, Tree.Entry> entry : tree(after).entries().entrySet()) {
            String name = entry.getKey();
            Tree.Entry now = entry.getValue();
            if (!name.matches("[0-9]{1,9}") || now.id().equals(old.id(name))) {
                continue;
            }
            if (now.isDirectory() && depth < DEEPEST) {
                collectChanged(old.id(name), now.id(), depth + 1, changed);
            } else if (now.isFile()) {
                changed.put(Integer.parseInt(name), now.id());
            }
        }
    }

    private List<Changed> changedStreams(SignedCommit commit, String before, String after) throws IOException {
        List<Changed> changed = List.of(new Changed("documents", before, after));
        for (int level = 0; level < LEVELS; level++) {
            List<Changed> below = new ArrayList<>();
            for (Changed directory : changed) {
                below.addAll(changed(commit, directory.path, directory.before, directory.after));
            }
            changed = below;
        }
        return changed;
    }

    private record Changed(String path, String before, String after) {}

    private List<Changed> changed(SignedCommit commit, String path, String before, String after) throws IOException {
        List<Changed> changed = new ArrayList<>();
        if (before.equals(after)) {
            return changed;
        }
        try {
            Tree old = tree(before);
            Tree now = tree(after);
            for (String name : old.entries().keySet()) {
                if (now.id(name).isEmpty()) {
                    removed(commit, path + "/" + name, old.id(name));
                }
            }
            for (Map.Entry<String, Tree.Entry> entry : now.entries().entrySet()) {
                String name = entry.getKey();
                if (!entry.getValue().isDirectory()) {
                    findings.add(Finding.Kind.HISTORY, path + "/" + name, "is not a directory");
                } else if (!entry.getValue().id().equals(old.id(name))) {
                    changed.add(new Changed(
                            path + "/" + name, old.id(name), entry.getValue().id()));
                }
            }
        } catch (Unsound e) {
            findings.add(Finding.Kind.OBJECT, path, e.detail());
        }
        return changed;
    }

    /** Names every stream that went with a directory. */
    private void removed(SignedCommit commit, String path, String directory) throws IOException, Unsound {
        if (path.chars().filter(c -> c == '/').count() == LEVELS) {
            findings.add(Finding.Kind.HISTORY, named(path, directory), "was removed by commit " + commit.id());
            return;
        }
        for (Map.Entry<String, Tree.Entry> entry : tree(directory).entries().entrySet()) {
            removed(commit, path + "/" + entry.getKey(), entry.getValue().id());
        }
    }

    private long checkStream(Changed stream, MerkleRoot leaves) throws IOException {
        String at = "";
        try {
            Map<Integer, String> added = new TreeMap<>();
            collectAdded(stream.before, stream.after, "", added);
            if (!tree(stream.before).id(MERGED).equals(tree(stream.after).id(MERGED))) {
                throw new Unsound("a commit that joins nothing changes what was joined");
            }
            int old = newest(stream.before);
            String head = old == 0 ? "" : head(stream.before);
            for (int version = old + 1; version <= old + added.size(); version++) {
                at = Integer.toString(version);
                String id = added.get(version);
                if (id == null) {
                    throw new Unsound("this version is missing");
                }
                Transaction transaction = Transaction.parse(objects.read(id, "blob"));
                at = transaction.id();
                if (transaction.isMerge()) {
                    throw new Unsound("it joins two histories in a commit that does not");
                }
                if (!transaction.parent().equals(head)) {
                    throw new Unsound("it is not built on the version before it");
                }
                checkPlace(stream.path, transaction);
                checkState(stream.after, version, transaction);
                leaves.addTransaction(transaction.hash());
                head = transaction.hash();
            }
            at = "";
            if (!head.equals(head(stream.after))) {
                throw new Unsound("HEAD does not name the newest transaction");
            }
            return added.size();
        } catch (Unsound e) {
            findings.add(Finding.Kind.STREAM, named(stream.path, stream.after, stream.before), at, e.detail());
            return 0;
        }
    }

    private void checkNewest(String collection, String first, String second, String name, String id)
            throws IOException {
        count++;
        String path = "documents/" + collection + "/" + first + "/" + second + "/" + name;
        String at = "";
        try {
            int version = newest(id);
            at = Integer.toString(version);
            Transaction newest = transaction(id, version);
            at = newest.id();
            checkPlace(path, newest);
            if (!newest.hash().equals(head(id))) {
                throw new Unsound("HEAD does not name the newest transaction");
            }
        } catch (Unsound e) {
            findings.add(Finding.Kind.STREAM, named(path, id), at, e.detail());
        }
    }

    /** A stream by its name, if any of its transactions can still be read and says it; otherwise by its path. */
    String named(String path, String... directories) throws IOException {
        List<String> asked = new ArrayList<>(List.of(directories));
        asked.add(newestOf(path));
        for (String directory : asked) {
            for (int version = 1; version <= ASKED; version++) {
                try {
                    Transaction transaction = transaction(directory, version);
                    checkPlace(path, transaction);
                    return transaction.stream();
                } catch (Unsound e) {
                    // The next one may say it.
                }
            }
        }
        return path;
    }

    /** The directory at this path as the newest commit has it, or empty. */
    private String newestOf(String path) throws IOException {
        String id = newestTree;
        try {
            for (String name : path.split("/", -1)) {
                id = tree(id).id(name);
            }
            return id;
        } catch (Unsound e) {
            return "";
        }
    }

    static void checkPlace(String path, Transaction transaction) throws Unsound {
        String name = transaction.directory();
        String expected = "documents/" + transaction.collection() + "/" + name.substring(4, 6) + "/"
                + name.substring(6, 8) + "/" + name;
        if (!expected.equals(path)) {
            throw new Unsound("it belongs to " + transaction.stream() + ", which is elsewhere");
        }
    }

    /** A patch that brings a snapshot must bring what the patches before it lead to. */
    private void checkState(String stream, int version, Transaction transaction) throws IOException, Unsound {
        if (!transaction.isPatch() || transaction.snapshot().isEmpty()) {
            return;
        }
        List<String> patches = new ArrayList<>(List.of(transaction.patch()));
        int at = version - 1;
        Transaction before = transaction(stream, at);
        while (before.isPatch() && before.snapshot().isEmpty()) {
            patches.addFirst(before.patch());
            at--;
            before = transaction(stream, at);
        }
        if (!Replay.leadsTo(before.snapshot(), patches, transaction.snapshot())) {
            throw new Unsound("its snapshot is not what its patches lead to");
        }
    }

    Transaction transaction(String stream, int version) throws IOException, Unsound {
        Optional<String> file = file(stream, version);
        if (file.isEmpty()) {
            throw new Unsound("version " + version + " is missing");
        }
        return Transaction.parse(objects.read(file.get(), "blob"));
    }

    private Optional<String> file(String stream, int version) throws IOException, Unsound {
        String id = stream;
        for (String name : place(Integer.toString(version)).split("/", -1)) {
            id = tree(id).id(name);
        }
        return id.isEmpty() ? Optional.empty() : Optional.of(id);
    }

    String head(String stream) throws IOException, Unsound {
        String line = new String(objects.read(tree(stream).id(HEAD), "blob"), US_ASCII);
        if (line.length() != 65 || !line.endsWith("\n") || !Hashes.isHex(line.substring(0, 64), 64)) {
            throw new Unsound("HEAD names no transaction");
        }
        return line.substring(0, 64);
    }

    /** The number of versions, which is that of the newest: found by going to the largest name in every directory. */
    int newest(String stream) throws IOException, Unsound {
        String at = stream;
        while (!at.isEmpty()) {
            String last = "";
            for (String name : tree(at).entries().keySet()) {
                boolean larger =
                        name.length() > last.length() || (name.length() == last.length() && name.compareTo(last) > 0);
                last = !name.equals(HEAD) && !name.equals(MERGED) && larger ? name : last;
            }
            Tree.Entry entry = tree(at).entries().get(last);
            if (entry == null || !last.matches("[0-9]{1,9}")) {
                throw new Unsound("it holds no transactions");
            }
            if (!entry.isDirectory()) {
                return Integer.parseInt(last);
            }
            at = entry.id();
        }
        return 0;
    }

    /** What is new, each on the path that its number demands. Nothing may have changed or gone. */
    void collectAdded(String before, String after, String path, Map<Integer, String> added)
            throws IOException, Unsound {
        Tree old = tree(before);
        Tree now = tree(after);
        for (String name : old.entries().keySet()) {
            if (now.id(name).isEmpty()) {
                throw new Unsound("version " + path + name + " was removed");
            }
        }
        for (Map.Entry<String, Tree.Entry> entry : now.entries().entrySet()) {
            String name = entry.getKey();
            String id = entry.getValue().id();
            boolean head =
                    path.isEmpty() && name.equals(HEAD) && entry.getValue().isFile();
            boolean joined =
                    path.isEmpty() && name.equals(MERGED) && entry.getValue().isDirectory();
            if (id.equals(old.id(name)) || head || joined) {
                continue;
            }
            if (!name.matches("[0-9]{1,9}")) {
                throw new Unsound("'" + path + name + "' does not belong in a stream");
            }
            if (entry.getValue().isDirectory()) {
                collectAdded(old.id(name), id, path + name + "/", added);
            } else if (!entry.getValue().isFile() || !(path + name).equals(place(name))) {
                throw new Unsound("'" + path + name + "' is not where a version lies");
            } else if (!old.id(name).isEmpty()) {
                throw new Unsound("version " + name + " was changed");
            } else {
                added.put(Integer.parseInt(name), id);
            }
        }
    }

    private static String place(String number) {
        StringBuilder place = new StringBuilder().append(number.length()).append('/');
        for (int i = 0; i < number.length() - 1; i++) {
            place.append(number.charAt(i)).append('/');
        }
        return place.append(number).toString();
    }

    Tree tree(String id) throws IOException, Unsound {
        return id.isEmpty() ? Tree.EMPTY : Tree.parse(objects.read(id, "tree"));
    }
}
