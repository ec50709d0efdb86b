package dev.tallystick.ledger.verifier;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The chain of signed roots: each commit adds what its root says, and nothing else has changed. */
final class History {

    private static final List<String> GUARDED = List.of("documents", "keys", "schemas");
    private static final String NOTHING = "0".repeat(64);

    /**
     * A root and what it skips to, as far as that is known. Of a foreign commit: the root that it stands on.
     *
     * @param keys the tree of keys that came with it: they tell who signs the next one
     */
    record Link(
            long position,
            String root,
            String keys,
            @Nullable Link skip) {}

    private final ObjectFiles objects;
    private final Findings findings;
    private final Trust trust;
    private final Watcher watcher;
    private final Streams streams;
    private final Map<String, Ring> rings = new HashMap<>();
    private final Map<String, Link> links = new HashMap<>();
    private long transactions;

    History(ObjectFiles objects, Findings findings, Trust trust, Watcher watcher, Streams streams) {
        this.objects = objects;
        this.findings = findings;
        this.trust = trust;
        this.watcher = watcher;
        this.streams = streams;
    }

    long transactions() {
        return transactions;
    }

    /** The newest root at or before a commit that was checked; null if there is none. */
    @Nullable
    Link link(String commit) {
        return links.get(commit);
    }

    /** Takes a commit for sound, as the ground that others are judged on. */
    void believe(SignedCommit commit, Link newest) {
        links.put(commit.id(), newest);
    }

    /** Checks commits, parents first: their roots and signatures, and all that they add. */
    void checkAll(List<SignedCommit> commits) throws IOException {
        long checked = 0;
        for (SignedCommit commit : commits) {
            watcher.report("commits", ++checked, commits.size());
            try {
                check(commit);
            } catch (Unsound e) {
                findings.add(Finding.Kind.OBJECT, "commit " + commit.id(), e.detail());
                return;
            }
        }
    }

    /** Checks the root, the keys and the signature of the anchored commit, which the commits after it are judged on. */
    void checkGround(SignedCommit commit) throws IOException {
        try {
            Tree tree = Tree.parse(objects.read(commit.tree(), "tree"));
            chained(commit, tree);
            if (!trust.key().isEmpty()
                    && !ring(commit, tree.id("keys")).newest().equals(trust.key())) {
                wrong(commit, "its keys are not those that the anchor knows");
            }
        } catch (Unsound e) {
            findings.add(Finding.Kind.OBJECT, "commit " + commit.id(), e.detail());
        }
    }

    private void check(SignedCommit commit) throws IOException, Unsound {
        Tree after = Tree.parse(objects.read(commit.tree(), "tree"));
        List<String> parents = commit.lineage();
        Tree before = parents.isEmpty() ? Tree.EMPTY : treeOf(parents.getFirst());
        boolean signed = chained(commit, after);
        if (commit.isForeign()) {
            checkForeign(commit, before, after);
            return;
        }
        MerkleRoot leaves = new MerkleRoot();
        if (commit.isMerge() && parents.size() == 2) {
            Tree other = treeOf(parents.get(1));
            joinedFiles(commit, before, other, after);
            transactions += new JoinedStreams(streams, findings, leaves)
                    .check(before.id("documents"), other.id("documents"), after.id("documents"));
        } else {
            if (signed) {
                keys(commit, before, after, leaves);
            }
            schemas(commit, before, after, leaves);
            transactions += streams.checkAdded(commit, before.id("documents"), after.id("documents"), leaves);
        }
        if (!commit.trailer("Leaves").equals(leaves.count() + " " + leaves.root())) {
            wrong(commit, "its root stands for other transactions than it holds");
        }
    }

    private void checkForeign(SignedCommit commit, Tree before, Tree after) throws IOException {
        for (String name : GUARDED) {
            if (!before.id(name).equals(after.id(name))) {
                findings.add(Finding.Kind.HISTORY, "commit " + commit.id(), "bears no root and changes '" + name + "'");
            }
        }
        streams.checkUntouched(commit, before.id("documents"), after.id("documents"));
    }

    /**
     * Checks the commit's place in the chain, and that the key in force there has signed it. Who that is, is said by the keys
     * of the root before it and not by those that it brings.
     *
     * @return whether it is signed, so that keys that it brings are worth a look
     */
    private boolean chained(SignedCommit commit, Tree after) throws IOException {
        List<String> parents = commit.lineage();
        Link base = parents.isEmpty() ? null : links.get(parents.getFirst());
        if (commit.isForeign()) {
            if (base != null) {
                links.put(commit.id(), base);
            }
            return true;
        }
        boolean known = parents.isEmpty() || base != null;
        long next = base == null ? 0 : base.position + 1;
        long position = known ? next : commit.position();
        if (commit.position() != position) {
            wrong(commit, "it claims position " + commit.position() + " and stands at " + position);
        }
        String previous = base == null ? NOTHING : base.root;
        Link skip = skip(base, position);
        String skipped = skip == null ? commit.trailer("Skip") : skip.root;
        if (position == 0) {
            skipped = NOTHING;
        }
        if (known
                && (!commit.trailer("Previous").equals(previous)
                        || !commit.trailer("Skip").equals(skipped))) {
            wrong(commit, "it is not chained to the roots before it");
        }
        joins(commit, parents);
        links.put(commit.id(), new Link(position, commit.trailer("Root"), after.id("keys"), skip));
        String key = ring(commit, base == null ? after.id("keys") : base.keys).at(position);
        boolean signed = !key.isEmpty() && commit.isSignedBy(key);
        if (!signed) {
            wrong(commit, "it is not signed by the key in force at position " + position);
        }
        return signed;
    }

    /** A history that somebody has continued with a retired key ends with that key. */
    void checkCurrentKey(SignedCommit newest) throws IOException {
        Link link = links.get(newest.id());
        if (!trust.currentKey().isEmpty() && link != null) {
            Ring ring = ring(newest, link.keys);
            if (!ring.newest().equals(trust.currentKey())) {
                wrong(newest, "the key that signs after it is not the one that the verifier knows to sign today");
            }
        }
    }

    /** The root at {@code position} with its lowest bit cleared, found by the skips of the roots before; null if unknown. */
    private static @Nullable Link skip(@Nullable Link base, long position) {
        long target = position - Long.lowestOneBit(position);
        Link at = base;
        while (at != null && at.position > target) {
            at = at.skip;
        }
        return at;
    }

    /** A second parent and the root that vouches for it come together or not at all. */
    private void joins(SignedCommit commit, List<String> parents) {
        if (parents.size() != (commit.isMerge() ? 2 : Math.min(parents.size(), 1))) {
            wrong(commit, "its parents are not those that its root names");
            return;
        }
        Link second = commit.isMerge() ? links.get(parents.get(1)) : null;
        if (second != null && (!commit.trailer("Merged").equals(second.root) || second.position >= commit.position())) {
            wrong(commit, "it does not join the root of its second parent");
        }
    }

    private void joinedFiles(SignedCommit commit, Tree first, Tree second, Tree after) throws IOException {
        if (!after.id("keys").equals(first.id("keys")) || !after.id("keys").equals(second.id("keys"))) {
            wrong(commit, "it joins histories with different keys");
        }
        try {
            MerkleRoot unused = new MerkleRoot();
            schemas(commit, first, after, unused);
            schemas(commit, second, after, unused);
            for (String collection : tree(after.id("schemas")).entries().keySet()) {
                String now = tree(after.id("schemas")).id(collection);
                boolean one = now.equals(tree(first.id("schemas")).id(collection));
                if (!one && !now.equals(tree(second.id("schemas")).id(collection))) {
                    throw new Unsound("schemas of " + collection + " are what neither history had");
                }
            }
        } catch (Unsound e) {
            findings.add(Finding.Kind.HISTORY, "schemas in commit " + commit.id(), e.detail());
        }
    }

    private void keys(SignedCommit commit, Tree before, Tree after, MerkleRoot leaves) throws IOException {
        try {
            Tree old = tree(before.id("keys"));
            Tree now = tree(after.id("keys"));
            added("keys", old, now, leaves);
            Ring ring = ring(commit, after.id("keys"));
            boolean rotated = now.entries().size() > old.entries().size() && ring.size() > 1;
            if (rotated
                    && (ring.newestFrom() != commit.position() + 1
                            || now.entries().size() != old.entries().size() + 1)) {
                throw new Unsound("a key does not follow the commit that brings it");
            }
        } catch (Unsound e) {
            findings.add(Finding.Kind.SIGNATURE, "keys in commit " + commit.id(), e.detail());
        }
    }

    /** The ring in this tree, each key vouched for by the one before it, and the first one by the verifier. */
    private Ring ring(SignedCommit commit, String id) throws IOException {
        Ring known = rings.get(id);
        if (known != null) {
            return known;
        }
        Ring ring = new Ring();
        try {
            Tree files = tree(id);
            for (int number = 1; number <= files.entries().size(); number++) {
                String name = Integer.toString(number);
                ring.add(name, objects.read(files.id(name), "blob"));
            }
        } catch (Unsound e) {
            findings.add(Finding.Kind.SIGNATURE, "keys in commit " + commit.id(), e.detail());
        }
        if (!trust.rootKey().isEmpty() && !ring.root().equals(trust.rootKey())) {
            findings.add(Finding.Kind.SIGNATURE, "keys/1", "is not the root key that the verifier trusts");
        }
        rings.put(id, ring);
        return ring;
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

    private Tree treeOf(String commit) throws IOException, Unsound {
        return Tree.parse(objects.read(
                SignedCommit.parse(commit, objects.read(commit, "commit")).tree(), "tree"));
    }

    private Tree tree(String id) throws IOException, Unsound {
        return id.isEmpty() ? Tree.EMPTY : Tree.parse(objects.read(id, "tree"));
    }

    private void wrong(SignedCommit commit, String detail) {
        findings.add(Finding.Kind.SIGNATURE, "commit " + commit.id(), detail);
    }
}
