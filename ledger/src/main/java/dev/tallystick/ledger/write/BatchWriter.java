package dev.tallystick.ledger.write;

import dev.tallystick.ledger.git.ObjectStore;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.git.PackBuilder;
import dev.tallystick.ledger.git.PackJoiner;
import dev.tallystick.ledger.git.UnknownOutcomeException;
import java.io.IOException;
import java.util.List;

/** Turns a batch into one commit and answers each write. */
public final class BatchWriter {

    private final ObjectStore store;
    private final CommitWriter commits;
    private final PackJoiner joiner;

    public BatchWriter(ObjectStore store, CommitWriter commits, PackJoiner joiner) {
        this.store = store;
        this.commits = commits;
        this.joiner = joiner;
    }

    void write(List<Pending> batch) {
        try {
            joiner.awaitRoom();
            commits.holdingMain(head -> commit(head, batch)).tell();
        } catch (UnknownOutcomeException | RuntimeException e) {
            tell(batch, new Pending.Verdict.Unknown(reason(e)));
        } catch (IOException e) {
            tell(batch, new Pending.Verdict.Refused(reason(e)));
        }
    }

    private static void tell(List<Pending> batch, Pending.Verdict verdict) {
        batch.forEach(pending -> pending.verdict().complete(verdict));
    }

    private static String reason(Exception e) {
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }

    private CommitWriter.Attempt<CommitBatch> commit(CommitWriter.Head head, List<Pending> writes) throws IOException {
        CommitBatch commitBatch =
                new CommitBatch(head.view(), head.link().root().position() + 1, store);
        for (Pending write : writes) {
            commitBatch.add(write);
        }
        if (commitBatch.isEmpty()) {
            return CommitWriter.Attempt.done(commitBatch);
        }
        try (PackBuilder pack = new PackBuilder()) {
            Oid tree = commitBatch.writeTo(pack);
            String message = commits.chain().nextMessage(commitBatch.subject(), head.link(), commitBatch.leaves(), "");
            Oid commit = commits.write(pack, head, tree, List.of(head.id()), message);
            if (!commits.move(head)) {
                return CommitWriter.Attempt.again();
            }
            commitBatch.committed(commit, tree);
            return CommitWriter.Attempt.done(commitBatch);
        }
    }
}
