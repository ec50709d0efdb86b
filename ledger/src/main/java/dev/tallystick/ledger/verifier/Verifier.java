package dev.tallystick.ledger.verifier;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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
    private final Findings findings = new Findings();

    private Verifier(Path repository, Trust trust, Depth depth) {
        this.repository = repository;
        this.trust = trust;
        this.depth = depth;
    }

    public static Report verify(Path repository, Trust trust, Depth depth) throws IOException {
        return new Verifier(repository, trust, depth).run();
    }

    private Report run() throws IOException {
        Optional<String> head = RepositoryFiles.check(repository, findings);
        try (ObjectFiles objects = new ObjectFiles(repository.resolve("objects"), findings)) {
            long audited = depth == Depth.DEEP ? objects.audit(findings) : 0;
            if (head.isEmpty()) {
                return report(0, 0, 0, audited, -1, "");
            }
            List<SignedCommit> commits = commits(objects, head.get());
            History history = new History(objects, findings, trust);
            if (depth == Depth.DEEP) {
                history.checkAll(commits);
            } else {
                history.checkNewest(commits);
            }
            Streams streams = new Streams(objects, findings);
            if (!commits.isEmpty()) {
                streams.checkNewest(commits.getLast().tree());
            }
            Optional<SignedCommit> newest = checkAnchor(commits);
            return report(
                    commits.size(),
                    streams.count(),
                    depth == Depth.DEEP ? history.transactions() : streams.count(),
                    audited,
                    newest.map(SignedCommit::position).orElse(-1L),
                    newest.map(commit -> commit.trailer("Root")).orElse(""));
        }
    }

    /** From the oldest to the newest along first parents; as far back as they can be read. */
    private List<SignedCommit> commits(ObjectFiles objects, String head) throws IOException {
        List<SignedCommit> newestFirst = new ArrayList<>();
        String at = head;
        while (!at.isEmpty()) {
            try {
                SignedCommit commit = SignedCommit.parse(at, objects.read(at, "commit"));
                newestFirst.add(commit);
                boolean enough = depth == Depth.QUICK
                        && trust.position() >= 0
                        && !commit.isForeign()
                        && commit.position() <= trust.position();
                at = enough || commit.parents().isEmpty()
                        ? ""
                        : commit.parents().getFirst();
            } catch (Unsound e) {
                findings.add(Finding.Kind.OBJECT, "commit " + at, e.detail());
                at = "";
            }
        }
        return newestFirst.reversed();
    }

    /** Returns the newest commit that bears a root. */
    private Optional<SignedCommit> checkAnchor(List<SignedCommit> commits) {
        Optional<SignedCommit> newest = Optional.empty();
        boolean met = trust.position() < 0;
        for (SignedCommit commit : commits) {
            if (!commit.isForeign()) {
                newest = Optional.of(commit);
                met |= commit.position() == trust.position()
                        && commit.trailer("Root").equals(trust.root());
            }
        }
        if (!met) {
            findings.add(
                    Finding.Kind.ANCHOR,
                    "main",
                    "the anchored root " + trust.root() + " at position " + trust.position()
                            + " is not part of this history: it was cut, rolled back or written anew");
        }
        return newest;
    }

    private Report report(long commits, long streams, long transactions, long objects, long position, String root) {
        return new Report(findings.list(), commits, streams, transactions, objects, position, root);
    }
}
