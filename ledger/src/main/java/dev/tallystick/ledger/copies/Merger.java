package dev.tallystick.ledger.copies;

import dev.tallystick.core.Ids;
import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.ObjectStore;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.git.PackBuilder;
import dev.tallystick.ledger.history.Ancestry;
import dev.tallystick.ledger.history.Chain;
import dev.tallystick.ledger.history.KeyRing;
import dev.tallystick.ledger.history.Schemas;
import dev.tallystick.ledger.history.View;
import dev.tallystick.ledger.tx.CommitId;
import dev.tallystick.ledger.verifier.Finding;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.CommitWriter;
import dev.tallystick.ledger.write.LedgerOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Moves {@code main} forward to another copy's commits. The verifier checks them first, so that nothing unsigned or misplaced
 * becomes part of this ledger, no matter who runs the other copy.
 */
public final class Merger {

    private final Path repository;
    private final ObjectStore store;
    private final CommitWriter commits;
    private final Schemas schemas = new Schemas();
    private final Ids ids;
    private final InstantSource clock;

    public Merger(Path repository, ObjectStore store, CommitWriter commits, LedgerOptions options) {
        this.repository = repository;
        this.store = store;
        this.commits = commits;
        this.ids = new Ids(options.clock(), options.random());
        this.clock = options.clock();
    }

    /** Moves {@code main} to {@code theirs} if that is a fast-forward. */
    Fetch forward(Oid theirs, String currentKey) throws IOException {
        return commits.holdingMain(head -> switch (standing(head, theirs, currentKey)) {
            case Standing.HasAll same -> CommitWriter.Attempt.done(new Fetch.UpToDate(CommitId.of(head.id())));
            case Standing.Unfit unfit -> CommitWriter.Attempt.done(new Fetch.Refused(unfit.reason));
            case Standing.Behind behind -> forward(head, theirs, new Fetch.Forwarded(CommitId.of(theirs)));
            case Standing.Parted parted ->
                CommitWriter.Attempt.done(new Fetch.Diverged(CommitId.of(head.id()), CommitId.of(theirs)));
        });
    }

    Merge merge(Oid theirs, String currentKey) throws IOException {
        return commits.holdingMain(head -> switch (standing(head, theirs, currentKey)) {
            case Standing.HasAll same -> CommitWriter.Attempt.done(new Merge.UpToDate(CommitId.of(head.id())));
            case Standing.Unfit unfit -> CommitWriter.Attempt.done(new Merge.Refused(unfit.reason));
            case Standing.Behind behind -> forward(head, theirs, new Merge.Forwarded(CommitId.of(theirs)));
            case Standing.Parted parted -> join(head, theirs, parted.base);
        });
    }

    /** How another copy relates to this one. */
    private sealed interface Standing {

        /** The other copy has nothing new. */
        record HasAll() implements Standing {}

        /** The other copy has more, and it is sound. */
        record Behind() implements Standing {}

        /** Each copy has its own commits, and the other's are sound. */
        record Parted(Oid base) implements Standing {}

        /** The other copy's commits can never become part of this ledger. */
        record Unfit(String reason) implements Standing {}
    }

    /** @param currentKey the current signing key, or empty if the caller does not know it */
    private Standing standing(CommitWriter.Head head, Oid theirs, String currentKey) throws IOException {
        Ancestry ancestry = Ancestry.of(commits.chain(), head.id(), theirs);
        if (ancestry.theirsOnly().isEmpty()) {
            return new Standing.HasAll();
        }
        if (ancestry.base().isEmpty()) {
            return new Standing.Unfit("it is another ledger: they have no commit in common");
        }
        List<Finding> findings = judged(head, ancestry.theirsOnly(), currentKey);
        if (!findings.isEmpty()) {
            return new Standing.Unfit(findings.getFirst().toString());
        }
        return ancestry.oursOnly().isEmpty()
                ? new Standing.Behind()
                : new Standing.Parted(ancestry.base().getFirst());
    }

    private <T> CommitWriter.Attempt<T> forward(CommitWriter.Head head, Oid theirs, T outcome) throws IOException {
        commits.prepare(theirs);
        return commits.move(head) ? CommitWriter.Attempt.done(outcome) : CommitWriter.Attempt.again();
    }

    /**
     * The side with the longer chain comes first, so that the new commit's position is beyond both and no anchor on either side
     * ever has to move back.
     */
    private CommitWriter.Attempt<Merge> join(CommitWriter.Head head, Oid theirs, Oid base) throws IOException {
        Chain.Link link = commits.chain()
                .newest(theirs)
                .orElseThrow(() -> new DamagedObjectException("no commit of the other copy has a root"));
        CommitWriter.Head other = new CommitWriter.Head(theirs, view(theirs), link);
        boolean oursFirst = head.link().root().position() != link.root().position()
                ? head.link().root().position() > link.root().position()
                : head.link().root().hash().compareTo(link.root().hash()) < 0;
        CommitWriter.Head first = oursFirst ? head : other;
        CommitWriter.Head second = oursFirst ? other : head;
        MergedTree tree = new MergedTree(store, first.view(), second.view(), schemas, ids, clock);
        Optional<String> refused = tree.join(view(base));
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
            return commits.move(head)
                    ? CommitWriter.Attempt.done(new Merge.Joined(CommitId.of(commit), tree.joined()))
                    : CommitWriter.Attempt.again();
        }
    }

    /** The verifier's findings in the other copy's commits, given that ours are sound. */
    private List<Finding> judged(CommitWriter.Head head, List<Oid> childrenFirst, String currentKey)
            throws IOException {
        String rootKey = KeyRing.read(head.view()).root().line();
        List<String> parentsFirst =
                childrenFirst.reversed().stream().map(Oid::toString).toList();
        return Verifier.judge(repository, Trust.in(rootKey).signedTodayBy(currentKey), parentsFirst);
    }

    private View view(Oid commit) throws IOException {
        return new View(store, commit, commits.chain().commit(commit).tree());
    }
}
