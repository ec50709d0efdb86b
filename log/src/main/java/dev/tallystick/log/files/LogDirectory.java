package dev.tallystick.log.files;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.core.file.ProcessLock;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.map.Insertion;
import dev.tallystick.log.map.KeyMap;
import dev.tallystick.log.map.MapLeaf;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.NoteSignature;
import dev.tallystick.log.note.NoteSigner;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.TlogProof;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.ring.KeyRing;
import dev.tallystick.log.ring.Rotation;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.log.tree.MerkleProofs;
import dev.tallystick.log.tree.TilePath;
import dev.tallystick.log.tree.TileSource;
import dev.tallystick.log.tree.TiledSubtrees;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A log in a directory. One thread plans, writes and commits; any number may read at the same time, and see whole batches.
 *
 * <p>A batch takes four calls, and a killed writer's successor repeats them with the recorded {@link Intent}:
 *
 * <ol>
 *   <li>{@link #plan(List)} works out what would be written. The caller records {@link Intent#of(BatchPlan)}.
 *   <li>{@link NoteSigner#sign} signs {@link BatchPlan#note()}.
 *   <li>{@link #write} forces bundles, tiles and tail to disk. Until the checkpoint names them, no one reads them.
 *   <li>{@link #commit} moves the checkpoint, if it is still the old one. The caller moves its anchor and dequeues, and only
 *       then serves what {@link #checkpoint()} says.
 * </ol>
 */
public final class LogDirectory implements Closeable, TileSource {

    /** The most entries of one batch, its head not counted. */
    public static final int MOST_ENTRIES = 20_000;

    private final DirectoryFiles files;
    private final ProcessLock lock;
    private final CrashPoints points;
    private volatile LogSnapshot snapshot;
    private @Nullable KeyMap retiredMap;
    private boolean intact = true;

    LogDirectory(DirectoryFiles files, ProcessLock lock, CrashPoints points, LogSnapshot snapshot) {
        this.files = files;
        this.lock = lock;
        this.points = points;
        this.snapshot = snapshot;
    }

    /**
     * Opens the directory after checking it against the anchor, or creates it if the anchor is empty.
     *
     * @param rootKey the first key of the log, whose name is the log's origin
     * @param anchor what the database dequeued last
     * @param intent the batch that the database recorded and did not dequeue, if any
     * @throws LogAlarm if the directory is not what its writer left; nothing is changed
     */
    public static LogDirectory open(
            Path directory, VerifierKey rootKey, Anchor anchor, @Nullable Intent intent, CrashPoints points)
            throws IOException {
        return new StartChecks(directory, rootKey, anchor, intent, points).open();
    }

    /**
     * Looks whether the log is here at all, before more is asked of its directory.
     *
     * @throws LogAlarm if the anchor names a log, and the directory has none, or an older one
     */
    public static void requirePresent(Path directory, Anchor anchor) throws IOException {
        StartChecks.requirePresent(directory, anchor);
    }

    /** The signed checkpoint; empty as long as the log has no entry. */
    public Optional<SignedNote> checkpoint() {
        return snapshot.checkpoint();
    }

    public long size() {
        return snapshot.size();
    }

    public Anchor anchor() {
        return Anchor.of(snapshot.state().checkpoint());
    }

    public KeyRing keys() {
        return snapshot.keys();
    }

    /**
     * Works out the batch of these entries and the head that ends it. Writes nothing.
     *
     * @throws dev.tallystick.log.map.DuplicateTagException if an acceptance or a secret is already in the log
     * @throws IllegalArgumentException if the entries do not make a batch
     */
    public BatchPlan plan(List<LogEntry> entries) throws IOException {
        requireIntact();
        LogState before = snapshot.state();
        BatchRules.check(before.size(), entries);
        long head = before.size() + entries.size();
        List<MapLeaf> leaves =
                entries.stream().map(MapLeaves::of).flatMap(Optional::stream).toList();
        Insertion insertion = snapshot.map().insertion(head + 1, leaves);
        LogEntry last = new LogEntry.MapHead(
                head, insertion.after().root(), insertion.after().count());
        List<byte[]> bytes = new ArrayList<>();
        entries.forEach(entry -> bytes.add(entry.bytes()));
        bytes.add(last.bytes());
        LogState.Appending appending = new LogState.Appending(before);
        bytes.forEach(appending::append);
        Map<String, byte[]> written = appending.files();
        return new BatchPlan(before, appending.after(), bytes, insertion, written);
    }

    /**
     * The plan of a recorded intent.
     *
     * @throws LogAlarm if its note or its head does not follow from its entries and this log
     */
    public BatchPlan plan(Intent intent) throws IOException {
        if (intent.oldSize() != size()) {
            throw wrongIntent("is for size " + intent.oldSize() + ", but the log has size " + size());
        }
        BatchPlan plan;
        try {
            List<byte[]> all = intent.entries();
            plan = plan(all.subList(0, Math.max(0, all.size() - 1)).stream()
                    .map(LogEntry::parse)
                    .toList());
        } catch (IllegalArgumentException | dev.tallystick.log.map.DuplicateTagException e) {
            throw wrongIntent("is not a batch of this log: " + e.getMessage());
        }
        boolean same = plan.note().equals(intent.note())
                && Arrays.equals(plan.entries().getLast(), intent.entries().getLast());
        if (!same) {
            throw wrongIntent("has another note or head than its entries give");
        }
        return plan;
    }

    private void requireIntact() {
        if (!intact) {
            throw new IllegalStateException("a commit failed half-way: close this log and open it again");
        }
    }

    private LogAlarm wrongIntent(String why) {
        return new LogAlarm(LogAlarm.Reason.WRONG_INTENT, files.path(""), "the recorded intent " + why);
    }

    /**
     * Forces the files of the batch to disk. May be repeated.
     *
     * @throws LogAlarm if one of them exists with other bytes
     */
    public void write(BatchPlan plan) throws IOException {
        points.reached(LogCrashPoint.BEFORE_FILES);
        files.write(plan.files());
        points.reached(LogCrashPoint.FILES_FORCED);
    }

    /**
     * Moves the checkpoint to the batch, if it is still where the plan began.
     *
     * @param note the plan's text with the signature of the key in force
     * @throws LogAlarm if the checkpoint was rolled back or replaced
     * @throws IOException if it is unknown whether the checkpoint moved; close this object and open the directory again
     */
    public Commit commit(BatchPlan plan, SignedNote note) throws IOException {
        requireIntact();
        if (!note.text().equals(plan.note())) {
            throw new IllegalArgumentException("the note is not the one of the plan");
        }
        keys().verify(note);
        return lock.holding(() -> {
            Checkpoint old = plan.before().checkpoint();
            Checkpoint there = onDisk();
            if (there.size() > old.size()) {
                return new Commit.Superseded(there);
            }
            requireOld(old, there);
            LogSnapshot now = snapshot;
            if (!plan.before().edge().equals(now.state().edge())) {
                throw new IllegalStateException("the plan was made before another batch was committed");
            }
            points.reached(LogCrashPoint.LOCKED);
            intact = false;
            now.map().append(plan.insertion());
            points.reached(LogCrashPoint.MAP_APPENDED);
            KeyRing next = rotated(plan, note);
            files.replaceCheckpoint(note.bytes());
            snapshot = new LogSnapshot(files, plan.after(), note, next, compacted(now.map()));
            intact = true;
            files.deleteTailsBefore(plan.oldSize());
            return new Commit.Committed(note);
        });
    }

    /** Finishes a recorded intent, wherever its writer was killed. */
    public Commit finish(Intent intent, NoteSigner signer) throws IOException {
        Optional<SignedNote> now = checkpoint().filter(note -> note.text().equals(intent.note()));
        if (now.isPresent()) {
            return new Commit.Committed(now.get());
        }
        BatchPlan plan = plan(intent);
        SignedNote note = signer.sign(plan.note());
        write(plan);
        return commit(plan, note);
    }

    private Checkpoint onDisk() throws IOException {
        if (!files.exists(DirectoryFiles.CHECKPOINT)) {
            return LogState.empty(keys().origin()).checkpoint();
        }
        try {
            return Checkpoint.parse(
                    SignedNote.parse(files.read(DirectoryFiles.CHECKPOINT)).text());
        } catch (IllegalArgumentException e) {
            Path file = files.path(DirectoryFiles.CHECKPOINT);
            throw new LogAlarm(LogAlarm.Reason.DAMAGED, file, "is not a checkpoint: " + e.getMessage(), e);
        }
    }

    private void requireOld(Checkpoint old, Checkpoint there) {
        if (there.equals(old)) {
            return;
        }
        boolean rolledBack = there.size() < old.size();
        throw new LogAlarm(
                rolledBack ? LogAlarm.Reason.ROLLED_BACK : LogAlarm.Reason.FORKED,
                files.path(DirectoryFiles.CHECKPOINT),
                "has size " + there.size() + " and root " + there.root() + ", but size " + old.size() + " and root "
                        + old.root() + " were there before");
    }

    /** Keeps the last checkpoint of the old key: it proves the new one. */
    private KeyRing rotated(BatchPlan plan, SignedNote note) throws IOException {
        long index = plan.newSize() - 2;
        byte[] entry = plan.entries().get(plan.entries().size() - 2);
        if (!(LogEntry.parse(entry) instanceof LogEntry.KeyRotation)) {
            return keys();
        }
        List<Hash> proof = MerkleProofs.inclusion(
                index,
                plan.newSize(),
                new TiledSubtrees(path -> TileFiles.read(files, plan.after(), path), plan.newSize()));
        KeyRing next = keys().with(new Rotation(entry, new TlogProof(index, proof, note)));
        files.write(Map.of(DirectoryFiles.ROTATIONS + plan.newSize(), note.bytes()));
        return next;
    }

    /** The old file stays open until the next time: a snapshot may still read it. */
    private KeyMap compacted(KeyMap map) throws IOException {
        if (!map.wantsCompaction()) {
            return map;
        }
        Path temporary = files.path(DirectoryFiles.MAP + ".new");
        KeyMap compact = map.compactInto(temporary);
        Files.move(temporary, files.path(DirectoryFiles.MAP), StandardCopyOption.ATOMIC_MOVE);
        ForcedFiles.forceDirectory(files.path(""));
        if (retiredMap != null) {
            retiredMap.close();
        }
        retiredMap = map;
        return compact;
    }

    /** Puts cosignatures of witnesses on the checkpoint, in the place of older ones, if it is still the one that they cosigned. */
    public boolean cosign(Checkpoint cosigned, List<NoteSignature> signatures) throws IOException {
        return lock.holding(() -> {
            LogSnapshot now = snapshot;
            SignedNote note = now.checkpoint().orElse(null);
            if (note == null || !note.text().equals(cosigned.text()) || !onDisk().equals(cosigned)) {
                return false;
            }
            SignedNote more = note.signedOnlyBy(List.of(keys().inForceAt(cosigned.size())))
                    .with(signatures);
            if (!more.equals(note)) {
                ForcedFiles.replace(files.path(DirectoryFiles.CHECKPOINT), more.bytes());
                snapshot = now.with(more);
            }
            return true;
        });
    }

    /** The log as of its current checkpoint. It stays readable while batches follow. */
    public LogSnapshot snapshot() {
        return snapshot;
    }

    /** A tile or bundle in exactly the width that the path asks for. Partial ones of earlier sizes are there as well. */
    @Override
    public byte[] read(TilePath path) throws IOException {
        return snapshot.read(path);
    }

    @Override
    public void close() throws IOException {
        snapshot.map().close();
        if (retiredMap != null) {
            retiredMap.close();
        }
        lock.close();
    }
}
