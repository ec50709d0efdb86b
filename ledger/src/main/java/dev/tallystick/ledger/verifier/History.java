package dev.tallystick.ledger.verifier;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The chain of signed roots: each commit adds what its root says, and nothing else has changed. */
final class History {

    private static final List<String> GUARDED = List.of("documents", "keys", "schemas");
    private static final String NOTHING = "0".repeat(64);

    private final ObjectFiles objects;
    private final Findings findings;
    private final Trust trust;
    private final Streams streams;
    private final Ring ring = new Ring();
    private final Map<Long, String> roots = new HashMap<>();
    private long transactions;

    History(ObjectFiles objects, Findings findings, Trust trust) {
        this.objects = objects;
        this.findings = findings;
        this.trust = trust;
        this.streams = new Streams(objects, findings);
    }

    long transactions() {
        return transactions;
    }

    /** Checks every commit from the first one on. */
    void checkAll(List<SignedCommit> commits) throws IOException {
        Tree before = Tree.EMPTY;
        long position = -1;
        for (SignedCommit commit : commits) {
            Tree after;
            try {
                after = Tree.parse(objects.read(commit.tree(), "tree"));
            } catch (Unsound e) {
                findings.add(Finding.Kind.OBJECT, "commit " + commit.id(), e.detail());
                return;
            }
            if (commit.isForeign()) {
                checkForeign(commit, before, after);
            } else {
                position++;
                MerkleRoot leaves = new MerkleRoot();
                keys(commit, before, after, leaves);
                chained(commit, position, true);
                schemas(commit, before, after, leaves);
                transactions += streams.checkAdded(commit, before.id("documents"), after.id("documents"), leaves);
                String counted = leaves.count() + " " + leaves.root();
                if (!commit.trailer("Leaves").equals(counted)) {
                    wrong(commit, "its root stands for other transactions than it holds");
                }
            }
            before = after;
        }
        if (position < 0 && !commits.isEmpty()) {
            findings.add(Finding.Kind.SIGNATURE, "main", "no commit bears a root");
        }
    }

    /** Checks the commits given, which may begin in the middle, with the keys of the newest one. */
    void checkNewest(List<SignedCommit> commits) throws IOException {
        if (commits.isEmpty()) {
            return;
        }
        try {
            Tree newest = Tree.parse(objects.read(commits.getLast().tree(), "tree"));
            Tree files = tree(newest.id("keys"));
            for (int number = 1; number <= files.entries().size(); number++) {
                String name = Integer.toString(number);
                ring.add(name, objects.read(files.id(name), "blob"));
            }
        } catch (Unsound e) {
            findings.add(Finding.Kind.SIGNATURE, "keys", e.detail());
        }
        checkRootKey();
        long position = -1;
        for (SignedCommit commit : commits) {
            if (!commit.isForeign()) {
                position = position < 0 ? commit.position() : position + 1;
                chained(commit, position, position == 0);
            }
        }
    }

    private void checkForeign(SignedCommit commit, Tree before, Tree after) {
        for (String name : GUARDED) {
            if (!before.id(name).equals(after.id(name))) {
                findings.add(Finding.Kind.HISTORY, "commit " + commit.id(), "bears no root and changes '" + name + "'");
            }
        }
    }

    private void chained(SignedCommit commit, long position, boolean fromTheStart) {
        String root = commit.trailer("Root");
        if (commit.position() != position) {
            wrong(commit, "it claims position " + commit.position() + " and stands at " + position);
        }
        String previous = position == 0 ? NOTHING : roots.get(position - 1);
        String skip = position == 0 ? NOTHING : roots.get(position - Long.lowestOneBit(position));
        boolean knowsPrevious = previous != null || fromTheStart;
        boolean knowsSkip = skip != null || fromTheStart;
        if ((knowsPrevious && !commit.trailer("Previous").equals(previous))
                || (knowsSkip && !commit.trailer("Skip").equals(skip))) {
            wrong(commit, "it is not chained to the roots before it");
        }
        roots.put(position, root);
        String key = ring.at(position);
        if (key.isEmpty() || !commit.isSignedBy(key)) {
            wrong(commit, "it is not signed by the key in force at position " + position);
        }
    }

    private void keys(SignedCommit commit, Tree before, Tree after, MerkleRoot leaves) throws IOException {
        try {
            Tree old = tree(before.id("keys"));
            Tree now = tree(after.id("keys"));
            added("keys", old, now, leaves);
            for (String name : now.entries().keySet()) {
                if (old.id(name).isEmpty()) {
                    ring.add(name, objects.read(now.id(name), "blob"));
                    if (ring.size() > 1 && ring.newestFrom() != commit.position() + 1) {
                        throw new Unsound("does not follow the commit that brings it");
                    }
                }
            }
        } catch (Unsound e) {
            findings.add(Finding.Kind.SIGNATURE, "keys in commit " + commit.id(), e.detail());
        }
        if (old(before)) {
            checkRootKey();
        }
    }

    private static boolean old(Tree before) {
        return before.entries().isEmpty();
    }

    private void checkRootKey() {
        if (!trust.rootKey().isEmpty() && !ring.root().equals(trust.rootKey())) {
            findings.add(Finding.Kind.SIGNATURE, "keys/1", "is not the root key that the verifier trusts");
        }
    }

    private void schemas(SignedCommit commit, Tree before, Tree after, MerkleRoot leaves) throws IOException {
        try {
            Tree old = tree(before.id("schemas"));
            Tree now = tree(after.id("schemas"));
            for (String collection : old.entries().keySet()) {
                if (now.id(collection).isEmpty()) {
                    throw new Unsound("schemas of " + collection + " are gone");
                }
            }
            for (String collection : now.entries().keySet()) {
                added("schemas/" + collection, tree(old.id(collection)), tree(now.id(collection)), leaves);
            }
        } catch (Unsound e) {
            findings.add(Finding.Kind.HISTORY, "schemas in commit " + commit.id(), e.detail());
        }
    }

    /** Files may be added, numbered on; none may change or go. */
    private void added(String directory, Tree old, Tree now, MerkleRoot leaves) throws IOException, Unsound {
        for (String name : old.entries().keySet()) {
            if (!old.id(name).equals(now.id(name))) {
                throw new Unsound(directory + "/" + name + " was changed or removed");
            }
        }
        for (int number = old.entries().size() + 1; number <= now.entries().size(); number++) {
            Tree.Entry file = now.entries().get(Integer.toString(number));
            if (file == null || !file.isFile()) {
                throw new Unsound(directory + "/" + number + " is missing");
            }
            leaves.addFile(directory + "/" + number, objects.read(file.id(), "blob"));
        }
    }

    private Tree tree(String id) throws IOException, Unsound {
        return id.isEmpty() ? Tree.EMPTY : Tree.parse(objects.read(id, "tree"));
    }

    private void wrong(SignedCommit commit, String detail) {
        findings.add(Finding.Kind.SIGNATURE, "commit " + commit.id(), detail);
    }
}
