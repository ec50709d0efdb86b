package dev.tallystick.ledger;

import dev.tallystick.core.Ids;
import dev.tallystick.ledger.verifier.Finding;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Moves {@code main} on to what another copy has. What came from there is judged by the verifier first, so that nothing
 * unsigned and nothing misplaced becomes part of this ledger, whoever runs the other copy.
 */
final class Merger {

    private final Path repository;
    private final ObjectStore store;
    private final CommitWriter commits;
    private final Schemas schemas = new Schemas();
    private final Ids ids;
    private final InstantSource clock;

    Merger(Path repository, ObjectStore store, CommitWriter commits, LedgerOptions options) {
        this.repository = repository;
        this.store = store;
        this.commits = commits;
        this.ids = new Ids(options.clock(), options.random());
        this.clock = options.clock();
    }

    /** Moves {@code main} to {@code theirs} if it leads there. */
    Fetch forward(Oid theirs) throws IOException {
        return commits.holdingMain(head -> {
            Ancestry ancestry = Ancestry.of(commits.chain(), head.id(), theirs);
            if (ancestry.theirsOnly().isEmpty()) {
                return CommitWriter.Attempt.done(new Fetch.UpToDate(CommitId.of(head.id())));
            }
            if (ancestry.base().isEmpty()) {
                return CommitWriter.Attempt.done(new Fetch.Refused("it is another ledger: no commit is in both"));
            }
            if (!ancestry.oursOnly().isEmpty()) {
                return CommitWriter.Attempt.done(new Fetch.Diverged(CommitId.of(head.id()), CommitId.of(theirs)));
            }
            Optional<String> unsound = unsound(head, ancestry.theirsOnly());
            if (unsound.isPresent()) {
                return CommitWriter.Attempt.done(new Fetch.Refused(unsound.get()));
            }
            commits.prepare(theirs);
            return commits.move(head, theirs)
                    ? CommitWriter.Attempt.done(new Fetch.Forwarded(CommitId.of(theirs)))
                    : CommitWriter.Attempt.again();
        });
    }

    Merge merge(Oid theirs) throws IOException {
        return commits.holdingMain(head -> {
            Ancestry ancestry = Ancestry.of(commits.chain(), head.id(), theirs);
            if (ancestry.theirsOnly().isEmpty()) {
                return CommitWriter.Attempt.done(new Merge.UpToDate(CommitId.of(head.id())));
            }
            if (ancestry.base().isEmpty()) {
                return CommitWriter.Attempt.done(new Merge.Refused("it is another ledger: no commit is in both"));
            }
            Optional<String> unsound = unsound(head, ancestry.theirsOnly());
            if (unsound.isPresent()) {
                return CommitWriter.Attempt.done(new Merge.Refused(unsound.get()));
            }
            if (ancestry.oursOnly().isEmpty()) {
                commits.prepare(theirs);
                return commits.move(head, theirs)
                        ? CommitWriter.Attempt.done(new Merge.Forwarded(CommitId.of(theirs)))
                        : CommitWriter.Attempt.again();
            }
            return join(head, theirs, ancestry);
        });
    }

    /**
     * The side with the longer chain comes first, so that the position of the new commit is beyond both and no anchor, on
     * either side, ever has to go back.
     */
    private CommitWriter.Attempt<Merge> join(CommitWriter.Head head, Oid theirs, Ancestry ancestry) throws IOException {
        Chain.Link link = commits.chain()
                .newest(theirs)
                .orElseThrow(() -> new DamagedObjectException("no commit of the other copy bears a root"));
        CommitWriter.Head other = new CommitWriter.Head(theirs, view(theirs), link);
        boolean oursFirst = head.link().root().position() != link.root().position()
                ? head.link().root().position() > link.root().position()
                : head.link().root().hash().compareTo(link.root().hash()) < 0;
        CommitWriter.Head first = oursFirst ? head : other;
        CommitWriter.Head second = oursFirst ? other : head;
        MergedTree tree = new MergedTree(store, first.view(), second.view(), schemas, ids, clock);
        Optional<String> refused = tree.join(view(ancestry.base().getFirst()));
        if (refused.isPresent()) {
            return CommitWriter.Attempt.done(new Merge.Refused(refused.get()));
        }
        try (PackBuilder pack = new PackBuilder()) {
            Oid root = tree.writeTo(pack);
            String message = commits.chain()
                    .nextMessage(
                            "Join two histories",
                            first.link(),
                            tree.leaves(),
                            second.link().root().hash());
            Oid commit = commits.write(pack, first, root, List.of(first.id(), second.id()), message);
            return commits.move(head, commit)
                    ? CommitWriter.Attempt.done(new Merge.Joined(CommitId.of(commit), tree.joined()))
                    : CommitWriter.Attempt.again();
        }
    }

    /** What the verifier has against commits of the other copy, given that ours are sound. */
    private Optional<String> unsound(CommitWriter.Head head, List<Oid> childrenFirst) throws IOException {
        String rootKey = KeyRing.read(head.view()).root().line();
        List<String> parentsFirst =
                childrenFirst.reversed().stream().map(Oid::toString).toList();
        List<Finding> findings = Verifier.judge(repository, Trust.in(rootKey), parentsFirst);
        return findings.isEmpty()
                ? Optional.empty()
                : Optional.of(findings.getFirst().toString());
    }

    private View view(Oid commit) throws IOException {
        return new View(store, commit, commits.chain().commit(commit).tree());
    }
}
