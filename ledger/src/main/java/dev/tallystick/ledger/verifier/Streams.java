package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tallystick.ledger.verifier.git.Hashes;
import dev.tallystick.ledger.verifier.git.Unsound;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The streams of documents: what a commit adds to them, and what they are in the end. */
final class Streams {

    static final String HEAD = "HEAD";
    static final String MERGED = "merged";

    /** What belongs to one path belongs to no other; a few trees that name each other would have no end. */
    static final String BELONGS_ELSEWHERE = "is a directory that belongs elsewhere";

    /** From the tree of documents down to a stream. */
    static final int LEVELS = 4;

    /** So many transactions of a damaged stream are asked for its name. */
    private static final int ASKED = 10;

    /** A version of nine digits lies below so many directories. */
    private static final int DEEPEST = 9;

    private final ObjectFiles objects;
    private final Findings findings;
    private final String newestTree;
    private final Documents documents;
    private long count;

    /** @param newestTree where streams can be asked for their names, or empty */
    Streams(ObjectFiles objects, Findings findings, String newestTree) {
        this.objects = objects;
        this.findings = findings;
        this.newestTree = newestTree;
        this.documents = new Documents(objects);
    }

    long count() {
        return count;
    }

    /** The newest transaction of every stream must be the one its HEAD names, and lie where it belongs. */
    void checkNewest(String tree) throws IOException {
        try {
            checkNewest("documents", tree(tree).id("documents"), 0, new HashSet<>());
        } catch (Unsound e) {
            findings.add(Finding.Kind.OBJECT, "documents", e.detail());
        }
    }

    /** Counts the streams. */
    void count(String tree) throws IOException, Unsound {
        count(tree(tree).id("documents"), 0);
    }

    private void count(String directory, int level) throws IOException, Unsound {
        Tree tree = tree(directory);
        if (level == LEVELS - 1) {
            count += tree.size();
            return;
        }
        for (Tree.Entry below : tree.entries()) {
            count(below.id(), level + 1);
        }
    }

    /** Follows every difference between two trees of documents; returns how many transactions were added. */
    long checkAdded(SignedCommit commit, Tree before, Tree after, MerkleRoot leaves) throws IOException {
        long added = 0;
        for (Changed stream : changedStreams(commit, before.id("documents"), after.id("documents"))) {
            added += checkStream(stream, before.id("schemas"), leaves);
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
            collectChanged(stream.before, stream.after, 0, changed, new HashSet<>());
            return changed.isEmpty()
                    ? ""
                    : Transaction.parse(objects.read(changed.lastEntry().getValue(), "blob"))
                            .id();
        } catch (Unsound e) {
            return changed.isEmpty() ? "" : changed.lastKey().toString();
        }
    }

    /** The files of versions that two directories do not share. Follows what is there, whatever a name claims to be. */
    private void collectChanged(String before, String after, int depth, Map<Integer, String> changed, Set<String> met)
            throws IOException, Unsound {
        for (Tree.Difference difference : Tree.differences(tree(before), tree(after))) {
            Tree.Entry now = difference.after();
            if (now == null || !isNumber(now.name())) {
                continue;
            }
            if (now.isDirectory() && depth < DEEPEST && met.add(now.id())) {
                collectChanged(difference.idBefore(), now.id(), depth + 1, changed, met);
            } else if (now.isFile()) {
                changed.put(Integer.parseInt(now.name()), now.id());
            }
        }
    }

    private List<Changed> changedStreams(SignedCommit commit, String before, String after) throws IOException {
        List<Changed> changed = List.of(new Changed("documents", before, after));
        for (int level = 0; level < LEVELS; level++) {
            List<Changed> below = new ArrayList<>();
            Set<String> met = new HashSet<>();
            for (Changed directory : changed) {
                for (Changed next : changed(commit, directory.path, directory.before, directory.after)) {
                    if (met.add(next.after)) {
                        below.add(next);
                    } else {
                        findings.add(Finding.Kind.HISTORY, next.path, BELONGS_ELSEWHERE);
                    }
                }
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
            for (Tree.Difference difference : Tree.differences(tree(before), tree(after))) {
                String name = difference.name();
                Tree.Entry now = difference.after();
                if (now == null) {
                    removed(commit, path + "/" + name, difference.idBefore(), new HashSet<>());
                } else if (!now.isDirectory()) {
                    findings.add(Finding.Kind.HISTORY, path + "/" + name, "is not a directory");
                } else {
                    changed.add(new Changed(path + "/" + name, difference.idBefore(), now.id()));
                }
            }
        } catch (Unsound e) {
            findings.add(Finding.Kind.OBJECT, path, e.detail());
        }
        return changed;
    }

    /** Names every stream that went with a directory. */
    private void removed(SignedCommit commit, String path, String directory, Set<String> met)
            throws IOException, Unsound {
        if (path.chars().filter(c -> c == '/').count() == LEVELS) {
            findings.add(Finding.Kind.HISTORY, named(path, directory), "was removed by commit " + commit.id());
            return;
        }
        for (Tree.Entry below :
                findings.isFull() ? List.<Tree.Entry>of() : tree(directory).entries()) {
            if (met.add(below.id())) {
                removed(commit, path + "/" + below.name(), below.id(), met);
            }
        }
    }

    private long checkStream(Changed stream, String schemas, MerkleRoot leaves) throws IOException {
        String at = "";
        try {
            Map<Integer, String> added = new TreeMap<>();
            collectAdded(stream.before, stream.after, "", added, new HashSet<>());
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
                checkDocument(stream.after, version, transaction, schemas);
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

    private void checkNewest(String path, String id, int level, Set<String> met) throws IOException, Unsound {
        if (level < LEVELS) {
            for (Tree.Entry below : findings.isFull() ? List.<Tree.Entry>of() : tree(id).entries()) {
                if (level + 1 == LEVELS || met.add(below.id())) {
                    checkNewest(path + "/" + below.name(), below.id(), level + 1, met);
                } else {
                    findings.add(Finding.Kind.HISTORY, path + "/" + below.name(), BELONGS_ELSEWHERE);
                }
            }
            return;
        }
        count++;
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

    /** @param schemas the tree of schemas in force */
    void checkDocument(String stream, int version, Transaction transaction, String schemas)
            throws IOException, Unsound {
        documents.check(transaction, version, earlier -> transaction(stream, earlier), schemas);
    }

    /** @param schemas the tree of schemas in force */
    void checkMerge(
            Transaction merge, String first, String second, JoinedHistories.@Nullable Version ancestor, String schemas)
            throws IOException, Unsound {
        documents.checkMerge(
                merge,
                ancestor == null ? null : document(ancestor.stream(), ancestor.number()),
                document(first, newest(first)),
                document(second, newest(second)),
                schemas);
    }

    private @Nullable JsonNode document(String stream, int version) throws IOException, Unsound {
        return documents.at(version, earlier -> transaction(stream, earlier));
    }

    Transaction transaction(String stream, int version) throws IOException, Unsound {
        Optional<String> file = file(stream, version);
        if (file.isEmpty()) {
            throw new Unsound("version " + version + " is missing");
        }
        return Transaction.parse(objects.read(file.get(), "blob"));
    }

    /** The id of the file of this version; empty if there is none. */
    Optional<String> file(String stream, int version) throws IOException, Unsound {
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
            Tree.Entry last = null;
            for (Tree.Entry entry : tree(at).entries()) {
                String name = entry.name();
                boolean larger = last == null
                        || name.length() > last.name().length()
                        || (name.length() == last.name().length() && name.compareTo(last.name()) > 0);
                last = !name.equals(HEAD) && !name.equals(MERGED) && larger ? entry : last;
            }
            if (last == null || !isNumber(last.name())) {
                throw new Unsound("it holds no transactions");
            }
            if (!last.isDirectory()) {
                return Integer.parseInt(last.name());
            }
            at = last.id();
        }
        return 0;
    }

    /** What is new, each on the path that its number demands. Nothing may have changed or gone. */
    void collectAdded(String before, String after, String path, Map<Integer, String> added, Set<String> met)
            throws IOException, Unsound {
        for (Tree.Difference difference : Tree.differences(tree(before), tree(after))) {
            String name = difference.name();
            Tree.Entry now = difference.after();
            if (now == null) {
                throw new Unsound("version " + path + name + " was removed");
            }
            boolean head = path.isEmpty() && name.equals(HEAD) && now.isFile();
            boolean joined = path.isEmpty() && name.equals(MERGED) && now.isDirectory();
            if (head || joined) {
                continue;
            }
            if (!isNumber(name)) {
                throw new Unsound("'" + path + name + "' does not belong in a stream");
            }
            if (now.isDirectory() && path.length() < 2 * DEEPEST + 2) {
                if (!met.add(now.id())) {
                    throw new Unsound("'" + path + name + "' " + BELONGS_ELSEWHERE);
                }
                collectAdded(difference.idBefore(), now.id(), path + name + "/", added, met);
            } else if (!now.isFile() || !(path + name).equals(place(name))) {
                throw new Unsound("'" + path + name + "' is not where a version lies");
            } else if (difference.before() != null) {
                throw new Unsound("version " + name + " was changed");
            } else {
                added.put(Integer.parseInt(name), now.id());
            }
        }
    }

    private static boolean isNumber(String name) {
        if (name.isEmpty() || name.length() > DEEPEST) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) < '0' || name.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }

    private static String place(String number) {
        StringBuilder place = new StringBuilder().append(number.length()).append('/');
        for (int i = 0; i < number.length() - 1; i++) {
            place.append(number.charAt(i)).append('/');
        }
        return place.append(number).toString();
    }

    Tree tree(String id) throws IOException, Unsound {
        return objects.directory(id);
    }
}
