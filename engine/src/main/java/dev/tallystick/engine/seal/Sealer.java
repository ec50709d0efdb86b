package dev.tallystick.engine.seal;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.seal.BatchPlanner.Planned;
import dev.tallystick.engine.seal.SealStore.Recorded;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.log.entry.InstallationSecret;
import dev.tallystick.log.files.Anchor;
import dev.tallystick.log.files.BatchPlan;
import dev.tallystick.log.files.Commit;
import dev.tallystick.log.files.Intent;
import dev.tallystick.log.files.LogAlarm;
import dev.tallystick.log.files.LogDirectory;
import dev.tallystick.log.files.LogSnapshot;
import dev.tallystick.log.map.MapLeaf;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.NoteSigner;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.log.tree.TilePath;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Loop;
import dev.tallystick.sql.SessionLimits;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.sql.Tx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Seals what is queued. Any number of processes may have one; the one with the lease works, and another takes over when the
 * lease has run out. Each batch is recorded as an intent before anything is signed or written, and a successor finishes it.
 *
 * <p>If the directory is not what the anchor says, the alarm is raised, nothing is written, and each later run compares them
 * again.
 */
public final class Sealer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Sealer.class);
    private static final Duration STOPPING = Duration.ofSeconds(10);

    private final Database database;
    private final SealSettings settings;
    private final CrashPoints crashPoints;
    private final String owner;
    private final NoteSigner signer;
    private final BatchPlanner planner;
    private final SealStore store = new SealStore();
    private final SealedStore sealed = new SealedStore();
    private final TileStore tiles = new TileStore();
    private final KeyProofs keyProofs;
    private final Promises promises;
    private final Loop loop;

    /** The directory as compared with the anchor under {@link #fence}; null if it has to be compared. One thread uses it. */
    private @Nullable LogDirectory directory;

    private long fence;

    /** The log as of the last anchor, which may be served; null if this process does not seal. */
    private volatile @Nullable LogSnapshot served;

    private volatile SealBacklog backlog = SealBacklog.NONE;

    private Sealer(
            Database database,
            SealSettings settings,
            NoteSigner signer,
            InstallationSecret secret,
            SecureRandom random,
            CrashPoints crashPoints) {
        this.database = database;
        this.settings = settings;
        this.owner = new UUID(random.nextLong(), random.nextLong()).toString();
        this.crashPoints = crashPoints;
        this.signer = signer;
        this.planner = new BatchPlanner(secret, random, settings.facts());
        this.keyProofs = new KeyProofs(database, secret);
        this.promises = new Promises(secret, () -> signer, () -> served);
        this.loop = new Loop("sealer", settings.interval(), this::seal);
    }

    /**
     * Reads the keys, which the first call for a database makes, and switches sealing on.
     *
     * @param origin the name of the log if it begins now
     * @throws IllegalArgumentException if the keys of a log that has begun are not here
     */
    public static Sealer open(Database database, SealSettings settings, String origin, CrashPoints crashPoints) {
        SealStore store = new SealStore();
        Optional<SealStore.Anchor> begun = database.transact("read the anchor of the log", store::anchor);
        SealKeys keys = SealKeys.open(
                settings.secrets(), begun.map(SealStore.Anchor::origin).orElse(null), origin);
        if (begun.isEmpty()) {
            boolean unused = database.transact(
                    "begin to seal",
                    SessionLimits.LONG,
                    tx -> store.begin(tx, keys.signer().key().name()));
        }
        return new Sealer(database, settings, keys.signer(), keys.secret(), new SecureRandom(), crashPoints);
    }

    /** The public key of the log, which verifies everything that it signs. */
    public VerifierKey rootKey() {
        return signer.key();
    }

    public void start() {
        loop.start();
    }

    /** How far sealing is behind, as of the last run. */
    public SealBacklog backlog() {
        return backlog;
    }

    /**
     * Proves how often the key was accepted, by the newest checkpoint. The proof shows the secret of the key's member, which
     * opens all tags of that member.
     *
     * @return the proof as JSON in UTF-8; empty if nothing is sealed yet, or another process seals
     */
    public Optional<byte[]> proveKey(ScopedKey key) {
        LogSnapshot log = served;
        if (log == null || log.checkpoint().isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    keyProofs.prove(log, log.checkpoint().get(), key).json().canonicalBytes());
        } catch (IOException e) {
            if (served == null) {
                return Optional.empty();
            }
            throw new UncheckedIOException(e);
        }
    }

    public Promises promises() {
        return promises;
    }

    /** Seals all that is queued, if this process has or gets the lease. */
    public void seal() {
        boolean whole = false;
        try {
            boolean more = directory != null || open();
            while (more) {
                more = sealBatch();
            }
            backlog = read(null);
            whole = true;
        } catch (LogAlarm e) {
            raise(e.reason() + ": " + e.getMessage(), e);
        } catch (IOException | UncheckedIOException e) {
            raise("the directory of the log cannot be used: " + e.getMessage(), e);
        } finally {
            if (!whole) {
                closeDirectory();
            }
        }
    }

    /** Compares the directory with the anchor and finishes the intent, if there is one. */
    private boolean open() throws IOException {
        record Held(SealStore.Anchor anchor, Optional<Recorded> intent) {}
        Optional<Held> held = database.transact("take the lease of the log", tx -> {
            Optional<SealStore.Anchor> anchor = store.lease(tx, owner, settings.lease());
            return anchor.isEmpty() ? Optional.empty() : Optional.of(new Held(anchor.get(), store.intent(tx)));
        });
        if (held.isEmpty()) {
            return false;
        }
        SealStore.Anchor anchor = held.get().anchor();
        Intent intent = held.get().intent().map(Recorded::batch).orElse(null);
        fence = anchor.fence();
        directory = LogDirectory.open(settings.log(), signer.key(), anchorOf(anchor), intent, crashPoints);
        if (anchor.alarm() != null) {
            LOG.warn("sealing continues: the log is where its anchor says");
            int unused = database.transact("end the alarm", tx -> store.calm(tx, fence));
        }
        if (intent == null) {
            served = directory.snapshot();
        }
        return intent == null || finish(intent, null);
    }

    private static Anchor anchorOf(SealStore.Anchor anchor) {
        return anchor.checkpoint() == null
                ? Anchor.EMPTY
                : Anchor.of(
                        Checkpoint.parse(SignedNote.parse(anchor.checkpoint()).text()));
    }

    /** Returns whether there may be more to seal. */
    private boolean sealBatch() throws IOException {
        Optional<BatchPlan> plan = database.transact("intend to seal", this::intend);
        if (plan.isEmpty()) {
            return false;
        }
        crashPoints.reached(SealCrashPoint.INTENDED);
        return finish(Intent.of(plan.get()), plan.get());
    }

    /** Takes a batch from the queue and records it; empty if there is nothing to do or the lease is lost. */
    private Optional<BatchPlan> intend(Tx tx) throws SQLException {
        LogDirectory log = directory();
        Optional<SealStore.Anchor> anchor = store.lease(tx, owner, settings.lease());
        if (anchor.isEmpty() || anchor.get().fence() != fence) {
            closeDirectory();
            return Optional.empty();
        }
        Planned planned = planner.plan(tx, log.size(), tag -> isMapped(log, tag));
        if (planned.entries().isEmpty()) {
            store.drop(tx, fence, planned.queued());
            return Optional.empty();
        }
        BatchPlan plan = plan(log, planned);
        if (!store.intend(tx, fence, new Recorded(Intent.of(plan), planned.queued()))) {
            throw new IllegalStateException("the anchor is not at size " + plan.oldSize());
        }
        sealed.write(tx, planned.jobs().values());
        if (!planned.members().isEmpty()) {
            sealed.addMembers(tx, planned.members(), BatchPlanner.GENERATION);
        }
        crashPoints.reached(SealCrashPoint.INTENDING);
        return Optional.of(plan);
    }

    private static BatchPlan plan(LogDirectory log, Planned planned) {
        try {
            return log.plan(planned.entries());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isMapped(LogDirectory log, Hash tag) {
        try {
            MapLeaf leaf = log.snapshot().prove(tag).leaf();
            return leaf != null && leaf.tag().equals(tag);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Signs and writes the batch, as far as that has not happened, and moves the anchor.
     *
     * @param plan null for a batch of an earlier process
     * @return whether this process still seals
     */
    private boolean finish(Intent batch, @Nullable BatchPlan plan) throws IOException {
        Optional<SignedNote> published = publish(batch, plan);
        if (published.isEmpty()) {
            closeDirectory();
            return false;
        }
        crashPoints.reached(SealCrashPoint.PUBLISHED);
        List<TileStore.Tile> copies = copies(directory(), batch.oldSize());
        boolean moved = database.transact("move the anchor of the log", tx -> {
            boolean advanced = store.advance(tx, fence, batch, published.get().toString());
            if (advanced) {
                tiles.write(tx, copies);
                crashPoints.reached(SealCrashPoint.ANCHORING);
            }
            return advanced;
        });
        if (!moved) {
            closeDirectory();
            return false;
        }
        crashPoints.reached(SealCrashPoint.ANCHORED);
        served = directory().snapshot();
        return true;
    }

    /** Empty if another process has moved the checkpoint further. */
    private Optional<SignedNote> publish(Intent batch, @Nullable BatchPlan made) throws IOException {
        LogDirectory log = directory();
        Optional<SignedNote> there = log.checkpoint().filter(note -> note.text().equals(batch.note()));
        if (there.isPresent()) {
            return there;
        }
        BatchPlan plan = made == null ? log.plan(batch) : made;
        SignedNote note = signer.sign(plan.note());
        crashPoints.reached(SealCrashPoint.SIGNED);
        log.write(plan);
        crashPoints.reached(SealCrashPoint.FILES_WRITTEN);
        return switch (log.commit(plan, note)) {
            case Commit.Committed committed -> Optional.of(committed.checkpoint());
            case Commit.Superseded superseded -> Optional.empty();
        };
    }

    /** The tiles and bundles that changed since the log had this size. */
    private static List<TileStore.Tile> copies(LogDirectory log, long oldSize) throws IOException {
        List<TileStore.Tile> copies = new ArrayList<>();
        long size = log.size();
        for (int level = TilePath.ENTRIES;
                TilePath.hashesAt(level, size) > TilePath.hashesAt(level, oldSize);
                level++) {
            long first = TilePath.hashesAt(level, oldSize) / TilePath.FULL;
            for (TilePath path : TilePath.ofLevel(level, first, size)) {
                copies.add(new TileStore.Tile(path, log.read(path)));
            }
        }
        return copies;
    }

    private void raise(String why, Exception cause) {
        LOG.error("sealing has stopped, jobs have not: {}", why, cause);
        try {
            backlog = read(why);
            int unused = database.transact("raise the alarm", tx -> store.alarm(tx, fence, why));
        } catch (TransactionException e) {
            LOG.warn("the alarm could not be recorded", e);
        }
    }

    private SealBacklog read(@Nullable String alarm) {
        SealStore.Backlog read = database.transact("read the backlog of the log", store::backlog);
        return new SealBacklog(read.rows(), read.lag(), alarm);
    }

    private LogDirectory directory() {
        LogDirectory open = directory;
        if (open == null) {
            throw new IllegalStateException("the directory is not open");
        }
        return open;
    }

    private void closeDirectory() {
        LogDirectory open = directory;
        directory = null;
        served = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                LOG.warn("the directory of the log could not be closed", e);
            }
        }
    }

    /** Stops after the current batch, and lets another process continue at once. */
    @Override
    public void close() {
        loop.end();
        loop.awaitEnd(STOPPING);
        closeDirectory();
        try {
            int unused = database.transact("give back the lease of the log", tx -> store.release(tx, owner));
        } catch (TransactionException e) {
            LOG.warn("the lease of the log was not given back; it runs out by itself", e);
        }
    }
}
