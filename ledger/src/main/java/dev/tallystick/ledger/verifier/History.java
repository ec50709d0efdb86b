package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.ledger.verifier.document.CanonicalText;
import dev.tallystick.ledger.verifier.git.Unsound;
import dev.tallystick.ledger.verifier.signature.SshKey;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The chain of signed roots: each commit adds what its root says, and nothing else has changed. */
final class History implements AutoCloseable {

    private static final List<String> GUARDED = List.of("documents", "keys", "schemas");
    private static final String NOTHING = "0".repeat(64);

    private final ObjectFiles objects;
    private final Findings findings;
    private final Trust trust;
    private final Watcher watcher;
    private final Streams streams;
    private final Map<String, Ring> rings = new HashMap<>();
    private final Links links = new Links();
    private final Signatures signatures;

    /** The commit that was checked last: mostly the parent of the next. */
    private @Nullable SignedCommit last;

    private long transactions;

    History(ObjectFiles objects, Findings findings, Trust trust, Watcher watcher, Streams streams) {
        this.objects = objects;
        this.findings = findings;
        this.trust = trust;
        this.watcher = watcher;
        this.streams = streams;
        this.signatures = new Signatures(findings);
    }

    long transactions() {
        return transactions;
    }

    /** The newest root at or before a commit that was checked; null if there is none. */
    Links.@Nullable Link link(String commit) {
        return links.find(commit);
    }

    /** Takes a commit for sound, as the ground that others are judged on. */
    Links.Link believe(String commit, long position, String root, String keys, Links.@Nullable Link skip) {
        return links.add(commit, position, root, keys, skip);
    }

    /** Checks commits, parents first: their roots and signatures, and all that they add. */
    void checkAll(CommitIds commits) throws IOException {
        for (int number = 0; number < commits.size(); number++) {
            watcher.report("commits", number + 1L, commits.size());
            String id = commits.id(number);
            try {
                SignedCommit commit = read(id);
                check(commit);
                last = commit;
            } catch (Unsound e) {
                findings.add(Finding.Kind.OBJECT, "commit " + id, e.detail());
                break;
            } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
                findings.add(Finding.Kind.OBJECT, "commit " + id, "it cannot be verified: " + Unsound.reason(e));
                break;
            }
        }
        signatures.settle();
    }

    @Override
    public void close() {
        signatures.close();
    }

    /** Checks the root, the keys and the signature of the anchored commit, which the commits after it are judged on. */
    void checkGround(SignedCommit commit) throws IOException {
        try {
            Tree tree = objects.tree(commit.tree());
            checkDirectories(commit, tree);
            chained(commit, tree, true);
            signatures.settle();
        } catch (Unsound e) {
            findings.add(Finding.Kind.OBJECT, "commit " + commit.id(), e.detail());
        }
    }

    /** Checks the anchored commit against the rest of what the anchor says. */
    void checkAnchored(SignedCommit commit) throws IOException, Unsound {
        String keys = objects.tree(commit.tree()).id("keys");
        if (!trust.key().isEmpty() && !ring(commit.id(), keys).newest().equals(trust.key())) {
            wrong(commit, "its keys are not those that the anchor knows");
        }
        if (!trust.commit().isEmpty() && !commit.id().equals(trust.commit())) {
            wrong(commit, "it bears the anchored root, and the anchor names commit " + trust.commit());
        }
    }

    private void check(SignedCommit commit) throws IOException, Unsound {
        Tree after = objects.tree(commit.tree());
        List<String> parents = commit.lineage();
        Tree before = parents.isEmpty() ? Tree.EMPTY : treeOf(parents.getFirst());
        chained(commit, after, false);
        if (commit.isForeign()) {
            checkForeign(commit, before, after);
            return;
        }
        checkDirectories(commit, after);
        MerkleRoot leaves = new MerkleRoot();
        if (commit.isMerge() && parents.size() == 2) {
            Tree other = treeOf(parents.get(1));
            joinedFiles(commit, before, other, after);
            transactions += new JoinedStreams(streams, findings, leaves)
                    .check(before.id("documents"), other.id("documents"), after.id("documents"), after.id("schemas"));
        } else {
            // Keys that a commit brings are worth a look only if it is signed.
            if (!before.id("keys").equals(after.id("keys")) && signatures.settle()) {
                keys(commit, before, after, leaves);
            }
            schemas(commit, before, after, leaves);
            transactions += streams.checkAdded(commit, before, after, leaves);
        }
        if (!commit.trailer("Leaves").equals(leaves.count() + " " + leaves.root())) {
            wrong(commit, "its root stands for other transactions than it holds");
        }
    }

    private void checkDirectories(SignedCommit commit, Tree after) {
        for (String name : GUARDED) {
            Tree.Entry entry = after.find(name);
            if (entry != null && !entry.isDirectory()) {
                findings.add(Finding.Kind.HISTORY, "commit " + commit.id(), "'" + name + "' is not a directory");
            }
        }
    }

    private void checkForeign(SignedCommit commit, Tree before, Tree after) throws IOException {
        for (String name : GUARDED) {
            if (!Objects.equals(before.find(name), after.find(name))) {
                findings.add(Finding.Kind.HISTORY, "commit " + commit.id(), "bears no root and changes '" + name + "'");
            }
        }
        streams.checkUntouched(commit, before.id("documents"), after.id("documents"));
    }

    /**
     * Checks the commit's place in the chain, and has it checked that the key in force there has signed it. Who that is, is
     * said by the keys of the root before it and not by those that it brings.
     *
     * @param ground whether what came before it is not looked at
     */
    private void chained(SignedCommit commit, Tree after, boolean ground) throws IOException {
        List<String> parents = commit.lineage();
        Links.Link base = parents.isEmpty() ? null : links.find(parents.getFirst());
        if (commit.isForeign()) {
            if (base != null) {
                links.addForeign(commit.id(), base);
            }
            return;
        }
        if (base == null && !parents.isEmpty() && !ground) {
            wrong(commit, "nothing that was verified leads to it");
        }
        boolean known = base != null || !ground;
        long next = base == null ? 0 : base.position() + 1;
        long position = known ? next : commit.position();
        if (commit.position() != position) {
            wrong(commit, "it claims position " + commit.position() + " and stands at " + position);
        }
        String previous = base == null ? NOTHING : base.root();
        Links.Link skip = links.back(base, position - Long.lowestOneBit(position));
        String skipped = skip == null ? commit.trailer("Skip") : skip.root();
        if (position == 0) {
            skipped = NOTHING;
        }
        if (known
                && (!commit.trailer("Previous").equals(previous)
                        || !commit.trailer("Skip").equals(skipped))) {
            wrong(commit, "it is not chained to the roots before it");
        }
        joins(commit, parents);
        links.add(commit.id(), position, commit.trailer("Root"), after.id("keys"), skip);
        SshKey key =
                ring(commit.id(), base == null ? after.id("keys") : base.keys()).at(position);
        signatures.demand(commit, position, key);
    }

    /** A history that was continued with a retired key ends with that key. */
    void checkCurrentKey(String newest) throws IOException {
        Links.Link link = links.find(newest);
        if (!trust.currentKey().isEmpty() && link != null) {
            Ring ring = ring(newest, link.keys());
            if (!ring.newest().equals(trust.currentKey())) {
                wrong(newest, "the key that signs after it is not the one that the verifier knows to sign today");
            }
        }
    }

    /** A second parent and the root that vouches for it come together or not at all. */
    private void joins(SignedCommit commit, List<String> parents) {
        if (parents.size() != (commit.isMerge() ? 2 : Math.min(parents.size(), 1))) {
            wrong(commit, "its parents are not those that its root names");
            return;
        }
        if (commit.isMerge() && parents.get(0).equals(parents.get(1))) {
            wrong(commit, "it joins a commit with itself");
        }
        Links.Link second = commit.isMerge() ? links.find(parents.get(1)) : null;
        if (second != null
                && (!commit.trailer("Merged").equals(second.root()) || second.position() >= commit.position())) {
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
            for (Tree.Entry entry : tree(after.id("schemas")).entries()) {
                String collection = entry.name();
                String now = entry.id();
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
            Ring ring = ring(commit.id(), after.id("keys"));
            boolean rotated = now.size() > old.size() && ring.size() > 1;
            if (rotated && (ring.newestFrom() != commit.position() + 1 || now.size() != old.size() + 1)) {
                throw new Unsound("a key does not follow the commit that brings it");
            }
        } catch (Unsound e) {
            findings.add(Finding.Kind.SIGNATURE, "keys in commit " + commit.id(), e.detail());
        }
    }

    /** The ring in this tree, each key vouched for by the one before it, and the first one by the verifier. */
    private Ring ring(String commit, String id) throws IOException {
        Ring known = rings.get(id);
        if (known != null) {
            return known;
        }
        Ring ring = new Ring();
        try {
            Tree files = tree(id);
            for (int number = 1; number <= files.size(); number++) {
                String name = Integer.toString(number);
                ring.add(name, objects.read(files.id(name), "blob"));
            }
        } catch (Unsound e) {
            findings.add(Finding.Kind.SIGNATURE, "keys in commit " + commit, e.detail());
        }
        if (!trust.rootKey().isEmpty() && !ring.root().equals(trust.rootKey())) {
            findings.add(Finding.Kind.SIGNATURE, "keys/1", "is not the root key that the verifier trusts");
        }
        rings.put(id, ring);
        return ring;
    }

    private void schemas(SignedCommit commit, Tree parent, Tree child, MerkleRoot leaves) throws IOException {
        try {
            Tree old = tree(parent.id("schemas"));
            Tree now = tree(child.id("schemas"));
            for (Tree.Difference changed : Tree.differences(old, now)) {
                Tree.Entry collection = changed.after();
                if (collection == null) {
                    throw new Unsound("schemas of " + changed.name() + " are gone");
                }
                if (!collection.isDirectory() || !Transaction.isCollectionName(changed.name())) {
                    throw new Unsound("'" + changed.name() + "' is not a collection");
                }
                Tree before = tree(changed.idBefore());
                Tree after = tree(collection.id());
                added("schemas/" + changed.name(), before, after, leaves);
                for (int number = before.size() + 1; number <= after.size(); number++) {
                    checkSchema(objects.read(after.id(Integer.toString(number)), "blob"));
                }
            }
        } catch (Unsound e) {
            findings.add(Finding.Kind.HISTORY, "schemas in commit " + commit.id(), e.detail());
        }
    }

    private static void checkSchema(byte[] schema) throws Unsound {
        String text = new String(schema, UTF_8);
        boolean kind = text.startsWith("{") || text.equals("true") || text.equals("false");
        if (!kind || !CanonicalText.isCanonical(schema)) {
            throw new Unsound("a schema is not an object, true or false in canonical form");
        }
    }

    /** Files may be added, numbered on; none may change or go. */
    private void added(String directory, Tree old, Tree now, MerkleRoot leaves) throws IOException, Unsound {
        for (Tree.Difference changed : Tree.differences(old, now)) {
            if (changed.before() != null) {
                throw new Unsound(directory + "/" + changed.name() + " was changed or removed");
            }
        }
        for (int number = old.size() + 1; number <= now.size(); number++) {
            Tree.Entry file = now.find(Integer.toString(number));
            if (file == null || !file.isFile()) {
                throw new Unsound(directory + "/" + number + " is missing");
            }
            leaves.addFile(directory + "/" + number, objects.read(file.id(), "blob"));
        }
    }

    private Tree treeOf(String commit) throws IOException, Unsound {
        SignedCommit known = last;
        return objects.tree((known != null && known.id().equals(commit) ? known : read(commit)).tree());
    }

    private SignedCommit read(String id) throws IOException, Unsound {
        return SignedCommit.parse(id, objects.read(id, "commit"));
    }

    private Tree tree(String id) throws IOException, Unsound {
        return objects.directory(id);
    }

    private void wrong(SignedCommit commit, String detail) {
        wrong(commit.id(), detail);
    }

    private void wrong(String commit, String detail) {
        findings.add(Finding.Kind.SIGNATURE, "commit " + commit, detail);
    }
}
