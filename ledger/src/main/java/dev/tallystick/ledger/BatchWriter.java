package dev.tallystick.ledger;

import dev.tallystick.core.CrashPoints;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Turns a batch into one commit and tells each write what came of it.
 *
 * <p>The order is the promise: objects are forced, then their directory, then the ref and its directory, and only then is
 * anybody told. The number of forces does not depend on the number of writes.
 */
final class BatchWriter {

    /** How long another program may hold {@code main.lock}, or keep moving {@code main}, before we give up. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(10);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

    private final ObjectStore store;
    private final Chain chain;
    private final MainRef main;
    private final ProcessLock writerLock;
    private final PackJoiner joiner;
    private final Signers signers;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final CrashPoints crashPoints;
    private @Nullable String broken;

    BatchWriter(
            ObjectStore store,
            MainRef main,
            ProcessLock writerLock,
            PackJoiner joiner,
            Signers signers,
            LedgerOptions options) {
        this.store = store;
        this.chain = new Chain(store);
        this.main = main;
        this.writerLock = writerLock;
        this.joiner = joiner;
        this.signers = signers;
        this.clock = options.clock();
        this.random = options.random();
        this.crashPoints = options.crashPoints();
    }

    void write(List<Pending> batch) {
        try {
            if (broken != null) {
                throw new IOException(broken);
            }
            joiner.awaitRoom();
            writerLock.holding(() -> commit(batch)).tell();
        } catch (IOException | RuntimeException e) {
            String reason = e.getMessage() == null ? e.toString() : e.getMessage();
            batch.forEach(pending -> pending.verdict().complete(new Pending.Verdict.Failed(reason)));
        }
    }

    private Batch commit(List<Pending> writes) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            Oid tip = main.read()
                    .orElseThrow(() -> new DamagedRefException(MainRef.NAME + " is gone from a ledger that had it"));
            Chain.Link link = trustedHead(tip);
            Batch batch = new Batch(
                    new View(store, tip, chain.commit(tip).tree()), link.root().position() + 1, store);
            for (Pending write : writes) {
                batch.add(write);
            }
            if (batch.isEmpty()) {
                return batch;
            }
            Oid commit = writeObjects(batch, tip, link);
            switch (move(tip, commit)) {
                case MOVED -> {
                    batch.committed(commit);
                    return batch;
                }
                case CHANGED, LOCKED -> pauseUntil(deadline);
            }
        }
    }

    private Oid writeObjects(Batch batch, Oid tip, Chain.Link link) throws IOException {
        crashPoints.reached(LedgerCrashPoint.BEFORE_OBJECTS);
        try (PackBuilder pack = new PackBuilder()) {
            Oid tree = batch.writeTo(pack);
            List<Leaf> leaves = batch.leaves();
            String message = chain.nextMessage(batch.subject(), link, leaves.size(), Merkle.root(leaves));
            SigningKey key =
                    signers.current(new View(store, tip, chain.commit(tip).tree()));
            byte[] commit = Commit.bytes(tree, List.of(tip), clock.instant(), message, key);
            Oid id = pack.add(ObjectType.COMMIT, commit);
            store.write(pack);
            // Between the pack and its directory, because most file systems make both sure in one go.
            main.prepare(id);
            store.directory().force();
            crashPoints.reached(LedgerCrashPoint.OBJECTS_FORCED);
            return id;
        }
    }

    /**
     * An error here may come after the rename and before the directory is on disk. What is visible then may not last, and a
     * later force may report success although it did not: so nothing is built on it by this process.
     */
    private MainRef.Move move(Oid head, Oid commit) throws IOException {
        try {
            return main.move(head);
        } catch (IOException e) {
            if (main.read().equals(Optional.of(commit))) {
                broken = "the ledger must be opened again: main moved but could not be forced: " + e.getMessage();
            }
            throw e;
        }
    }

    /**
     * The newest root. Foreign commits on top of it are fine as long as they leave alone what the root stands for; building on
     * one that does not would put our signature under a forgery.
     */
    private Chain.Link trustedHead(Oid head) throws IOException {
        Chain.Link link = chain.newest(head)
                .orElseThrow(() -> new DamagedObjectException("no commit of this repository bears a root"));
        if (!link.id().equals(head)) {
            Tree ours = new Tree(store.read(link.commit().tree(), ObjectType.TREE));
            Tree theirs = new Tree(store.read(chain.commit(head).tree(), ObjectType.TREE));
            for (String guarded : Layout.GUARDED) {
                if (!ours.find(guarded).equals(theirs.find(guarded))) {
                    throw new DamagedObjectException("a foreign commit changed '" + guarded + "' after " + link.id());
                }
            }
        }
        return link;
    }

    private void pauseUntil(long deadline) throws IOException {
        if (System.nanoTime() >= deadline) {
            throw new IOException("another program has held " + MainRef.NAME + " for " + PATIENCE.toSeconds() + " s");
        }
        LockSupport.parkNanos(random.nextLong(SHORTEST_PAUSE.toNanos(), LONGEST_PAUSE.toNanos()));
    }
}
