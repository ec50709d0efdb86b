package dev.tallystick.ledger.verifier;

import dev.tallystick.ledger.verifier.git.Unsound;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Verifies a ledger. Reads only. */
public final class Verifier {

    /** How much is looked at. */
    public enum Depth {
        /** Every byte of every object file, every commit, every transaction. */
        DEEP,
        /**
         * The repository's shape, all that every commit since the anchor changed, and the newest transaction of every stream.
         * Without an anchor that is every commit. What the anchor vouches for is not read again, so damage there goes unseen.
         */
        QUICK
    }

    private final Path repository;
    private final Trust trust;
    private final Depth depth;
    private final Watcher watcher;
    private final Findings findings = new Findings();

    private Verifier(Path repository, Trust trust, Depth depth, Watcher watcher) {
        this.repository = repository;
        this.trust = trust;
        this.depth = depth;
        this.watcher = watcher;
    }

    public static Report verify(Path repository, Trust trust, Depth depth) throws IOException {
        return verify(repository, trust, depth, Watcher.NONE);
    }

    public static Report verify(Path repository, Trust trust, Depth depth, Watcher watcher) throws IOException {
        Verifier verifier = new Verifier(repository, trust, depth, watcher);
        return verifier.run(RepositoryFiles.check(repository, verifier.findings).orElse(""));
    }

    /** Verifies what {@code main} would be if it named {@code head}. */
    public static Report verifyAt(Path repository, Trust trust, Depth depth, String head, Watcher watcher)
            throws IOException {
        Verifier verifier = new Verifier(repository, trust, depth, watcher);
        RepositoryFiles.checkShape(repository, verifier.findings);
        return verifier.run(head);
    }

    /**
     * What is wrong with some commits, given that all their other ancestors are sound.
     *
     * @param commits parents before children
     */
    public static List<Finding> judge(Path repository, Trust trust, List<String> commits) throws IOException {
        Verifier verifier = new Verifier(repository, trust, Depth.DEEP, Watcher.NONE);
        try (ObjectFiles objects = new ObjectFiles(repository.resolve("objects"), verifier.findings)) {
            verifier.judge(objects, commits);
        }
        return verifier.findings.list();
    }

    /** Whether a tree is one that {@code git fsck} accepts: verification refuses all others. */
    public static boolean acceptsTree(byte[] tree) {
        try {
            Tree.parse(tree);
            return true;
        } catch (Unsound e) {
            return false;
        }
    }

    private void judge(ObjectFiles objects, List<String> ids) throws IOException {
        CommitIds commits = new CommitIds();
        ids.forEach(commits::add);
        try (History history = new History(objects, findings, trust, watcher, new Streams(objects, findings, ""))) {
            believeParents(objects, history, commits);
            history.checkAll(commits);
            if (!ids.isEmpty()) {
                history.checkCurrentKey(ids.getLast());
            }
        } catch (Unsound e) {
            findings.add(Finding.Kind.OBJECT, "commits", e.detail());
        }
    }

    /** Takes the parents that are not among the commits for what they say they are. */
    private static void believeParents(ObjectFiles objects, History history, CommitIds commits)
            throws IOException, Unsound {
        for (int number = 0; number < commits.size(); number++) {
            String id = commits.id(number);
            for (String parent :
                    SignedCommit.parse(id, objects.read(id, "commit")).lineage()) {
                if (commits.find(parent) < 0 && history.link(parent) == null) {
                    new Ground(objects, history).believe(parent);
                }
            }
        }
    }

    /** @param head empty if there is none */
    private Report run(String head) throws IOException {
        try (ObjectFiles objects = new ObjectFiles(repository.resolve("objects"), findings);
                Audit audit = depth == Depth.DEEP ? objects.audit(watcher) : Audit.ofNothing()) {
            int before = findings.size();
            Report followed = head.isEmpty() ? report(0, 0, 0, null) : follow(objects, head);
            long audited = audit.await();
            findings.insert(before, audit.findings());
            return followed.with(findings.list(), audited);
        }
    }

    private Report follow(ObjectFiles objects, String head) throws IOException {
        try {
            return check(objects, head);
        } catch (Unsound e) {
            findings.add(Finding.Kind.OBJECT, "commits", e.detail());
            return report(0, 0, 0, null);
        }
    }

    private Report check(ObjectFiles objects, String head) throws IOException, Unsound {
        Lineage lineage = new Lineage(objects, findings);
        Optional<SignedCommit> anchored = anchored(lineage, head);
        Optional<SignedCommit> ground = depth == Depth.QUICK ? anchored : Optional.empty();
        CommitIds commits = ground.isPresent() ? lineage.since(ground.get(), head) : lineage.of(head);
        String newest = commits.size() > 0
                ? commits.id(commits.size() - 1)
                : ground.map(SignedCommit::id).orElse("");
        if (newest.isEmpty()) {
            return report(0, 0, 0, null);
        }
        String tree = SignedCommit.parse(newest, objects.read(newest, "commit")).tree();
        Streams streams = new Streams(objects, findings, tree);
        try (History history = new History(objects, findings, trust, watcher, streams)) {
            if (ground.isPresent()) {
                history.checkGround(ground.get());
                new Ground(objects, history).believe(ground.get().id());
                believeParents(objects, history, commits);
            }
            history.checkAll(commits);
            history.checkCurrentKey(newest);
            if (anchored.isPresent()) {
                history.checkAnchored(anchored.get());
            }
            // Every stream is what the commits made of it, so where all of them are sound the streams need no second
            // look.
            if (depth == Depth.DEEP && findings.isEmpty()) {
                streams.count(tree);
            } else {
                streams.checkNewest(tree);
            }
            Links.Link link = history.link(head);
            if (link == null && commits.size() > 0) {
                findings.add(Finding.Kind.SIGNATURE, "main", "no commit bears a root");
            }
            long transactions = depth == Depth.DEEP ? history.transactions() : streams.count();
            return report(commits.size(), streams.count(), transactions, link);
        }
    }

    /** The commit that the anchor remembers, if there is an anchor. */
    private Optional<SignedCommit> anchored(Lineage lineage, String head) throws IOException {
        if (trust.position() < 0) {
            return Optional.empty();
        }
        if (!trust.anchorRootKey().isEmpty() && !trust.anchorRootKey().equals(trust.rootKey())) {
            findings.add(Finding.Kind.ANCHOR, "keys/1", "the anchor knows another root key than the verifier");
        }
        Optional<SignedCommit> found = lineage.find(head, trust.position(), trust.root());
        if (found.isEmpty()) {
            findings.add(
                    Finding.Kind.ANCHOR,
                    "main",
                    "the anchored root " + trust.root() + " at position " + trust.position()
                            + " is not part of this history: it was cut, rolled back or rewritten");
        }
        return found;
    }

    private Report report(long commits, long streams, long transactions, Links.@Nullable Link newest) {
        return new Report(
                findings.list(),
                commits,
                streams,
                transactions,
                0,
                newest == null ? -1 : newest.position(),
                newest == null ? "" : newest.root());
    }
}
