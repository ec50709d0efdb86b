package dev.tallystick.broker.accept;

import dev.tallystick.core.Futures;
import dev.tallystick.keys.AcceptKeys;
import dev.tallystick.keys.KeyEntry;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.Primitive;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Looks keys up and accepts submissions, in transactions that concurrent callers share. Thread-safe; calls block. */
public final class KeyedCommits implements AutoCloseable {

    private final GroupCommitter reads;
    private final GroupCommitter writes;
    private final Primitive<ScopedKey, Optional<KeyEntry>> lookUp;
    private final MessageAcceptor messageAcceptor;
    private final BatchAcceptor batchAcceptor;

    public KeyedCommits(Database database, AcceptKeys keys, MessageAcceptor messageAcceptor) {
        this.reads = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT);
        this.writes = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT);
        this.lookUp = keys.lookingUp();
        this.messageAcceptor = messageAcceptor;
        this.batchAcceptor = new BatchAcceptor(messageAcceptor);
    }

    public Optional<KeyEntry> find(ScopedKey key) {
        return Futures.await(reads.submit(lookUp, key));
    }

    /** The entries of the keys, in the same order. */
    List<Optional<KeyEntry>> findAll(List<ScopedKey> keys) {
        List<CompletableFuture<Optional<KeyEntry>>> entries =
                keys.stream().map(key -> reads.submit(lookUp, key)).toList();
        return entries.stream().map(Futures::await).toList();
    }

    /** Accepting waits only for the key, while another broker binds it. */
    public Acceptance accept(AcceptItem item) {
        try {
            return Futures.await(writes.submit(messageAcceptor, item));
        } catch (DefiniteFailureException e) {
            if (e.reason() == DefiniteFailureException.Reason.LOCKED) {
                return Acceptance.InProgress.ELSEWHERE;
            }
            throw e;
        }
    }

    /** Accepts the items in one transaction and in this order; if another broker binds one of the keys, none of them. */
    List<Acceptance> acceptAll(List<AcceptItem> items) {
        try {
            return Futures.await(writes.submit(batchAcceptor, items));
        } catch (DefiniteFailureException e) {
            if (e.reason() == DefiniteFailureException.Reason.LOCKED) {
                return Collections.nCopies(items.size(), Acceptance.InProgress.ELSEWHERE);
            }
            throw e;
        }
    }

    /** Commits what is queued, then stops. */
    @Override
    public void close() {
        reads.close();
        writes.close();
    }
}
