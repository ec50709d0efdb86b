package dev.tallystick.ledger;

import java.io.IOException;
import java.util.List;

/** Turns a batch into one commit and answers each write. */
final class BatchWriter {

    private final ObjectStore store;
    private final CommitWriter commits;
    private final PackJoiner joiner;

    BatchWriter(ObjectStore store, CommitWriter commits, PackJoiner joiner) {
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

    private CommitWriter.Attempt<Batch> commit(CommitWriter.Head head, List<Pending> writes) throws IOException {
        Batch batch = new Batch(head.view(), head.link().root().position() + 1, store);
        for (Pending write : writes) {
            batch.add(write);
        }
        if (batch.isEmpty()) {
            return CommitWriter.Attempt.done(batch);
        }
        try (PackBuilder pack = new PackBuilder()) {
            Oid tree = batch.writeTo(pack);
            String message = commits.chain().nextMessage(batch.subject(), head.link(), batch.leaves(), "");
            Oid commit = commits.write(pack, head, tree, List.of(head.id()), message);
            if (!commits.move(head)) {
                return CommitWriter.Attempt.again();
            }
            batch.committed(commit, tree);
            return CommitWriter.Attempt.done(batch);
        }
    }
}
