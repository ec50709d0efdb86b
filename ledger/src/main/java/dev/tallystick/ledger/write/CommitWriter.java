package dev.tallystick.ledger.write;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.file.ProcessLock;
import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.DamagedRefException;
import dev.tallystick.ledger.git.LedgerCrashPoint;
import dev.tallystick.ledger.git.ObjectStore;
import dev.tallystick.ledger.git.ObjectType;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.git.PackBuilder;
import dev.tallystick.ledger.git.Ref;
import dev.tallystick.ledger.git.Tree;
import dev.tallystick.ledger.history.Chain;
import dev.tallystick.ledger.history.Commit;
import dev.tallystick.ledger.history.Layout;
import dev.tallystick.ledger.history.View;
import dev.tallystick.ledger.ssh.SigningKey;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Makes signed commits and moves {@code main} to them. The caller holds the writer lock.
 *
 * <p>The order is the promise: force the objects, then their directory, then the ref and its directory, and only then
 * answer. The number of forces does not depend on the number of writes.
 */
public final class CommitWriter {

    /** How long another program may hold {@code main.lock}, or keep moving {@code main}, before we give up. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(10);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

    private final ObjectStore store;
    private final Chain chain;
    private final Ref main;
    private final ProcessLock writerLock;
    private final Signers signers;
    private final VerifiedHead verified;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final CrashPoints crashPoints;
    private @Nullable Oid prepared;

    public CommitWriter(
            ObjectStore store,
            Chain chain,
            Ref main,
            ProcessLock writerLock,
            Signers signers,
            VerifiedHead verified,
            LedgerOptions options) {
        this.store = store;
        this.chain = chain;
        this.main = main;
        this.writerLock = writerLock;
        this.signers = signers;
        this.verified = verified;
        this.clock = options.clock();
        this.random = options.random();
        this.crashPoints = options.crashPoints();
    }

    /** The target of {@code main}, and the newest root at or before it. */
    public record Head(Oid id, View view, Chain.Link link) {}

    /** The result of work on a head: a value, or nothing because another program moved {@code main} meanwhile. */
    public record Attempt<T>(Optional<T> value) {

        public static <T> Attempt<T> done(T value) {
            return new Attempt<>(Optional.of(value));
        }

        public static <T> Attempt<T> again() {
            return new Attempt<>(Optional.empty());
        }
    }

    /** Work that ends in at most one {@link #move}. */
    public interface Work<T> {
        Attempt<T> on(Head head) throws IOException;
    }

    /** Runs the work on the newest head, repeatedly while native Git moves it, as the only one of our processes. */
    public <T> T holdingMain(Work<T> work) throws IOException {
        return writerLock.holding(() -> {
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            Optional<T> value = work.on(head()).value();
            while (value.isEmpty()) {
                pauseUntil(deadline);
                value = work.on(head()).value();
            }
            return value.get();
        });
    }

    public Chain chain() {
        return chain;
    }

    /** Adds the commit to the pack and forces everything; {@code main} is ready to be moved to it. */
    public Oid write(PackBuilder pack, Head head, Oid tree, List<Oid> parents, String message) throws IOException {
        crashPoints.reached(LedgerCrashPoint.BEFORE_OBJECTS);
        SigningKey key = signers.current(head.view());
        Oid id = pack.add(ObjectType.COMMIT, Commit.bytes(tree, parents, clock.instant(), message, key));
        String name = pack.writeTo(store.directory());
        crashPoints.reached(LedgerCrashPoint.PACK_NAMED);
        store.adopt(name, pack);
        // Between the pack and its directory, because most file systems flush both in one go.
        prepare(id);
        store.directory().force();
        crashPoints.reached(LedgerCrashPoint.OBJECTS_FORCED);
        return id;
    }

    /** Prepares to move {@code main} to a commit whose objects are already on disk. */
    public void prepare(Oid commit) throws IOException {
        main.prepare(commit);
        prepared = commit;
    }

    /** Moves {@code main} from {@code head} to the commit that was prepared; returns false if another writer moved it or is about to. */
    public boolean move(Head head) throws IOException {
        boolean moved = main.move(head.id()) == Ref.Move.MOVED;
        if (moved && prepared != null) {
            verified.moved(head.id(), prepared);
        }
        return moved;
    }

    private Head head() throws IOException {
        Oid tip = main.read().orElseThrow(() -> new DamagedRefException(Ref.MAIN + " has disappeared from the ledger"));
        View view = new View(store, tip, chain.commit(tip).tree());
        verified.require(view);
        return new Head(tip, view, trusted(tip));
    }

    /**
     * The newest root. Foreign commits on top of it are fine as long as they do not change what the root covers; building on
     * one that does would put our signature under a forgery.
     */
    private Chain.Link trusted(Oid head) throws IOException {
        Chain.Link link = chain.newest(head)
                .orElseThrow(() -> new DamagedObjectException("no commit of this repository has a root"));
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
            throw new IOException("another program has held " + Ref.MAIN + ".lock, or kept moving " + Ref.MAIN
                    + ", for " + PATIENCE.toSeconds() + " s; if no git is running there, remove the stale lock");
        }
        LockSupport.parkNanos(random.nextLong(SHORTEST_PAUSE.toNanos(), LONGEST_PAUSE.toNanos()));
    }
}
