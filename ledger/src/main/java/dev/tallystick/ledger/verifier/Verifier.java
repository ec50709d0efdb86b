package dev.tallystick.ledger.verifier;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Verifies a ledger. Reads only. */
public final class Verifier {

    /** How much is looked at. */
    public enum Depth {
        /** The repository's shape, the signed chain back to the anchor, and the newest transaction of every stream. */
        QUICK,
        /** Every byte of every object file, every commit, every transaction. */
        DEEP
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
        return verify(repository, trust, depth, Watcher.NOBODY);
    }

    public static Report verify(Path repository, Trust trust, Depth depth, Watcher watcher) throws IOException {
        Verifier verifier = new Verifier(repository, trust, depth, watcher);
        return verifier.run(RepositoryFiles.check(repository, verifier.findings).orElse(""));
    }

    /** Verifies deeply what {@code main} would be if it named {@code head}. */
    public static Report verifyAt(Path repository, Trust trust, String head, Watcher watcher) throws IOException {
        Verifier verifier = new Verifier(repository, trust, Depth.DEEP, watcher);
        RepositoryFiles.checkShape(repository, verifier.findings);
        return verifier.run(head);
    }

    /**
     * What is wrong with some commits, given that all their other ancestors are sound.
     *
     * @param commits parents before children
     */
    public static List<Finding> judge(Path repository, Trust trust, List<String> commits) throws IOException {
        Verifier verifier = new Verifier(repository, trust, Depth.DEEP, Watcher.NOBODY);
        try (ObjectFiles objects = new ObjectFiles(repository.resolve("objects"), verifier.findings)) {
            verifier.judge(objects, commits);
        }
        return verifier.findings.list();
    }

    private void judge(ObjectFiles objects, List<String> ids) throws IOException {
        History history = new History(objects, findings, trust, watcher, new Streams(objects, findings, ""));
        Set<String> open = new HashSet<>(ids);
        List<SignedCommit> commits = new ArrayList<>();
        try {
            for (String id : ids) {
                SignedCommit commit = SignedCommit.parse(id, objects.read(id, "commit"));
                commits.add(commit);
                for (String parent : commit.lineage()) {
                    if (!open.contains(parent)) {
                        SignedCommit ground = SignedCommit.parse(parent, objects.read(parent, "commit"));
                        SignedCommit rooted = rooted(objects, ground);
                        history.believe(ground, new History.Link(rooted.position(), rooted.trailer("Root"), null));
                    }
                }
            }
        } catch (Unsound e) {
            findings.add(Finding.Kind.OBJECT, "commits", e.detail());
            return;
        }
        history.checkAll(commits);
    }

    /** The commit itself if it bears a root, or the newest before it that does. */
    private static SignedCommit rooted(ObjectFiles objects, SignedCommit commit) throws IOException, Unsound {
        SignedCommit at = commit;
        while (at.isForeign()) {
            if (at.lineage().isEmpty()) {
                throw new Unsound("no commit bears a root");
            }
            String parent = at.lineage().getFirst();
            at = SignedCommit.parse(parent, objects.read(parent, "commit"));
        }
        return at;
    }

    /** @param head empty if there is none */
    private Report run(String head) throws IOException {
        try (ObjectFiles objects = new ObjectFiles(repository.resolve("objects"), findings)) {
            long audited = depth == Depth.DEEP ? objects.audit(watcher) : 0;
            if (head.isEmpty()) {
                return report(0, 0, 0, audited, null);
            }
            List<SignedCommit> commits = new Lineage(objects, findings, this::isEnough).of(head);
            Streams streams = new Streams(
                    objects,
                    findings,
                    commits.isEmpty() ? "" : commits.getLast().tree());
            History history = new History(objects, findings, trust, watcher, streams);
            if (depth == Depth.DEEP) {
                history.checkAll(commits);
            } else {
                history.checkRoots(commits);
            }
            if (!commits.isEmpty()) {
                streams.checkNewest(commits.getLast().tree());
            }
            checkAnchor(commits);
            History.Link newest = history.link(head);
            if (newest == null && !commits.isEmpty()) {
                findings.add(Finding.Kind.SIGNATURE, "main", "no commit bears a root");
            }
            long transactions = depth == Depth.DEEP ? history.transactions() : streams.count();
            return report(commits.size(), streams.count(), transactions, audited, newest);
        }
    }

    /** Positions only fall on the way back, so what lies behind the anchor's cannot be what it remembers. */
    private boolean isEnough(SignedCommit commit) {
        return depth == Depth.QUICK
                && trust.position() >= 0
                && !commit.isForeign()
                && commit.position() <= trust.position();
    }

    private void checkAnchor(List<SignedCommit> commits) {
        boolean met = trust.position() < 0
                || commits.stream()
                        .filter(commit -> !commit.isForeign())
                        .anyMatch(commit -> commit.position() == trust.position()
                                && commit.trailer("Root").equals(trust.root()));
        if (!met) {
            findings.add(
                    Finding.Kind.ANCHOR,
                    "main",
                    "the anchored root " + trust.root() + " at position " + trust.position()
                            + " is not part of this history: it was cut, rolled back or written anew");
        }
    }

    private Report report(long commits, long streams, long transactions, long objects, History.@Nullable Link newest) {
        return new Report(
                findings.list(),
                commits,
                streams,
                transactions,
                objects,
                newest == null ? -1 : newest.position(),
                newest == null ? "" : newest.root());
    }
}
