package dev.tallystick.log.files;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.core.file.ProcessLock;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.map.KeyMap;
import dev.tallystick.log.map.MapLeaf;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.TlogProof;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.ring.KeyRing;
import dev.tallystick.log.ring.Rotation;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.log.tree.MerkleProofs;
import dev.tallystick.log.tree.RightEdge;
import dev.tallystick.log.tree.TilePath;
import dev.tallystick.log.tree.TileSource;
import dev.tallystick.log.tree.TiledSubtrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Opens a directory only if it is what its writer left: origin, signature by the key in force, right edge against the root, last
 * bundle against its leaves, key map against the last head, and nothing ahead of the anchor but the intended batch.
 */
final class StartChecks {

    private static final int REBUILD_CHUNK = 100_000;

    private final Path directory;
    private final VerifierKey rootKey;
    private final Anchor anchor;
    private final @Nullable Intent intent;
    private final CrashPoints points;
    private final DirectoryFiles files;

    StartChecks(Path directory, VerifierKey rootKey, Anchor anchor, @Nullable Intent intent, CrashPoints points) {
        this.directory = directory;
        this.rootKey = rootKey;
        this.anchor = anchor;
        this.intent = intent;
        this.points = points;
        this.files = new DirectoryFiles(directory, points);
    }

    LogDirectory open() throws IOException {
        requirePresent(directory, anchor);
        if (!Files.isDirectory(directory)) {
            ForcedFiles.createDirectories(directory);
        }
        ProcessLock lock = ProcessLock.open(directory, "lock");
        try {
            LogSnapshot snapshot = lock.holding(this::check);
            return new LogDirectory(files, lock, points, snapshot);
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    /** Reads no more than the checkpoint, which is never behind the anchor if this is the directory of the log. */
    static void requirePresent(Path directory, Anchor anchor) throws IOException {
        DirectoryFiles files = new DirectoryFiles(directory, CrashPoints.NONE);
        for (String name : List.of("", DirectoryFiles.CHECKPOINT)) {
            if (!anchor.isEmpty() && !files.exists(name)) {
                throw new LogAlarm(
                        LogAlarm.Reason.MISSING, files.path(name), "is missing, but the log has size " + anchor.size());
            }
        }
        if (!anchor.isEmpty()) {
            requireNotBehind(
                    files,
                    Checkpoint.parse(note(files, DirectoryFiles.CHECKPOINT).text()),
                    anchor);
        }
    }

    private static void requireNotBehind(DirectoryFiles files, Checkpoint checkpoint, Anchor anchor) {
        if (checkpoint.size() < anchor.size()) {
            throw new LogAlarm(
                    LogAlarm.Reason.ROLLED_BACK,
                    files.path(DirectoryFiles.CHECKPOINT),
                    "has size " + checkpoint.size() + ", but the anchor has size " + anchor.size());
        }
    }

    private LogSnapshot check() throws IOException {
        files.deleteTemporaries();
        KeyRing root = KeyRing.of(rootKey);
        if (!files.exists(DirectoryFiles.CHECKPOINT)) {
            requirePresent(directory, anchor); // again, under the lock
            requireNothingBeyond(0);
            LogState empty = LogState.empty(rootKey.name());
            return new LogSnapshot(files, empty, null, root, KeyMap.create(files.path(DirectoryFiles.MAP)));
        }
        SignedNote note = note(files, DirectoryFiles.CHECKPOINT);
        Checkpoint checkpoint = Checkpoint.parse(note.text());
        if (!checkpoint.origin().equals(rootKey.name())) {
            throw alarm(
                    LogAlarm.Reason.OTHER_LOG,
                    DirectoryFiles.CHECKPOINT,
                    "is of the log '" + checkpoint.origin() + "', not of '" + rootKey.name() + "'");
        }
        LogState state = new StateReader(files).read(checkpoint);
        KeyRing keys = keys(files, root, state);
        try {
            keys.verify(note);
        } catch (IllegalArgumentException e) {
            throw alarm(LogAlarm.Reason.BAD_SIGNATURE, DirectoryFiles.CHECKPOINT, String.valueOf(e.getMessage()));
        }
        requireAnchored(checkpoint, state);
        requireNothingBeyond(checkpoint.size());
        return new LogSnapshot(files, state, note, keys, map(state));
    }

    static SignedNote note(DirectoryFiles files, String name) throws IOException {
        try {
            SignedNote note = SignedNote.parse(files.read(name));
            Checkpoint.parse(note.text());
            return note;
        } catch (IllegalArgumentException e) {
            throw new LogAlarm(LogAlarm.Reason.DAMAGED, files.path(name), "is not a checkpoint: " + e.getMessage(), e);
        }
    }

    /** The keys of a log, with the rotations that its directory has and its tree proves. */
    static KeyRing keys(DirectoryFiles files, KeyRing root, LogState state) throws IOException {
        KeyRing ring = root;
        TileSource tiles = path -> TileFiles.read(files, state, path);
        for (long size : files.numbers(DirectoryFiles.ROTATIONS)) {
            if (size > state.size()) {
                continue; // of an intended batch
            }
            String name = DirectoryFiles.ROTATIONS + size;
            SignedNote note = note(files, name);
            try {
                long index = size - 2;
                byte[] entry =
                        TileFiles.entries(files, state, index / TilePath.FULL).get((int) (index % TilePath.FULL));
                List<Hash> proof = MerkleProofs.inclusion(index, size, new TiledSubtrees(tiles, size));
                ring = ring.with(new Rotation(entry, new TlogProof(index, proof, note)));
            } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                throw new LogAlarm(
                        LogAlarm.Reason.BAD_SIGNATURE,
                        files.path(name),
                        "does not prove a rotation: " + e.getMessage(),
                        e);
            }
        }
        return ring;
    }

    private void requireAnchored(Checkpoint checkpoint, LogState state) throws IOException {
        long size = checkpoint.size();
        requireNotBehind(files, checkpoint, anchor);
        if (size > anchor.size()) {
            boolean intended = intent != null
                    && intent.oldSize() == anchor.size()
                    && intent.note().equals(checkpoint.text());
            if (!intended) {
                throw alarm(
                        LogAlarm.Reason.AHEAD_WITHOUT_INTENT,
                        DirectoryFiles.CHECKPOINT,
                        "has size " + size + ", but the anchor has size " + anchor.size()
                                + ": the database lost a commit, or is older than the log");
            }
        }
        TileSource tiles = path -> TileFiles.read(files, state, path);
        Hash there = MerkleProofs.root(anchor.size(), new TiledSubtrees(tiles, anchor.size()));
        if (!there.equals(anchor.root())) {
            throw alarm(
                    LogAlarm.Reason.FORKED,
                    DirectoryFiles.CHECKPOINT,
                    "has root " + there + " at size " + anchor.size() + ", but the anchor has " + anchor.root());
        }
    }

    private void requireNothingBeyond(long size) throws IOException {
        long allowed = intent != null && intent.oldSize() == size
                ? size + intent.entries().size()
                : size;
        String beyond = files.beyond(allowed);
        if (beyond != null) {
            throw alarm(
                    LogAlarm.Reason.AHEAD_WITHOUT_INTENT,
                    beyond,
                    "is beyond size " + allowed + ", and no intent is recorded for it: the database lost a commit");
        }
    }

    /** The map of the last head, from its file or rebuilt from the entries. */
    private KeyMap map(LogState state) throws IOException {
        LogEntry.MapHead head = lastHead(state);
        Path path = files.path(DirectoryFiles.MAP);
        Optional<KeyMap> there = KeyMap.open(path, state.size(), head.root(), head.count());
        if (there.isPresent()) {
            return there.get();
        }
        KeyMap map = KeyMap.create(path);
        try {
            rebuild(map, state);
            boolean same =
                    map.version().root().equals(head.root()) && map.version().count() == head.count();
            if (!same) {
                throw alarm(
                        LogAlarm.Reason.WRONG_MAP,
                        "",
                        "the last head names the map " + head.root() + " with " + head.count()
                                + " leaves, but the entries give "
                                + map.version().root() + " with "
                                + map.version().count());
            }
            return map;
        } catch (IOException | RuntimeException e) {
            map.close();
            throw e;
        }
    }

    private void rebuild(KeyMap map, LogState state) throws IOException {
        List<MapLeaf> leaves = new ArrayList<>();
        for (long bundle = 0; bundle * TilePath.FULL < state.size(); bundle++) {
            for (byte[] entry : TileFiles.entries(files, state, bundle)) {
                MapLeaves.of(LogEntry.parse(entry)).ifPresent(leaves::add);
            }
            if (leaves.size() >= REBUILD_CHUNK) {
                map.append(map.insertion(bundle * TilePath.FULL, leaves));
                leaves.clear();
            }
        }
        map.append(map.insertion(state.size(), leaves));
    }

    private LogEntry.MapHead lastHead(LogState state) throws IOException {
        long index = state.size() - 1;
        byte[] bytes = TileFiles.entries(files, state, index / TilePath.FULL).get((int) (index % TilePath.FULL));
        try {
            if (LogEntry.parse(bytes) instanceof LogEntry.MapHead head && head.covers() == index) {
                return head;
            }
        } catch (IllegalArgumentException e) {
            throw alarm(LogAlarm.Reason.DAMAGED, "", "entry " + index + " is no entry: " + e.getMessage());
        }
        throw alarm(LogAlarm.Reason.DAMAGED, "", "entry " + index + ", the last one, is not the head of its batch");
    }

    private LogAlarm alarm(LogAlarm.Reason reason, String name, String message) {
        return new LogAlarm(reason, name.isEmpty() ? directory : files.path(name), message);
    }

    /** Reads the right edge of a tree and compares it with the checkpoint. */
    record StateReader(DirectoryFiles files) {

        LogState read(Checkpoint checkpoint) throws IOException {
            long size = checkpoint.size();
            if (size < 2) {
                throw damaged(DirectoryFiles.CHECKPOINT, "has size " + size + ", but a batch has at least two entries");
            }
            List<byte[]> tail = tail(size);
            List<List<Hash>> levels = new ArrayList<>();
            levels.add(tail.stream().map(Hash::leaf).toList());
            for (int level = 1; TilePath.hashesAt(level, size) > 0; level++) {
                levels.add(partial(level, size));
            }
            requireLastBundle(size);
            LogState unproven = new LogState(checkpoint.origin(), edge(size, tail, levels), tail, levels);
            if (!unproven.checkpoint().equals(checkpoint)) {
                throw damaged(
                        tail.isEmpty() ? DirectoryFiles.CHECKPOINT : LogState.TAIL + size,
                        "the tail or a tile at the right edge was changed: they give the root "
                                + unproven.edge().root() + ", but the checkpoint has " + checkpoint.root());
            }
            return unproven;
        }

        private List<byte[]> tail(long size) throws IOException {
            int wanted = (int) (size % TilePath.FULL);
            if (wanted == 0) {
                return List.of();
            }
            String name = LogState.TAIL + size;
            if (!files.exists(name)) {
                throw damaged(name, "is missing");
            }
            List<byte[]> tail = TileFiles.decode(files.path(name), files.read(name));
            if (tail.size() != wanted) {
                throw damaged(name, "has " + tail.size() + " entries, not " + wanted);
            }
            return tail;
        }

        /** The hashes of a level that do not fill a tile: the roots of full tiles one level below. */
        private List<Hash> partial(int level, long size) throws IOException {
            long hashes = TilePath.hashesAt(level, size);
            List<Hash> partial = new ArrayList<>();
            for (long index = hashes / TilePath.FULL * TilePath.FULL; index < hashes; index++) {
                byte[] below = TileFiles.fullTile(files, level - 1, index);
                partial.add(TiledSubtrees.subtree(below, 0, TilePath.FULL));
            }
            return partial;
        }

        private RightEdge edge(long size, List<byte[]> tail, List<List<Hash>> levels) throws IOException {
            // The peaks are in the partial tiles alone, so the edge of this state is not needed yet.
            LogState tiles = new LogState("-", edgeOfSize(size), tail, levels);
            return RightEdge.read(size, new TiledSubtrees(path -> TileFiles.read(files, tiles, path), size));
        }

        private static RightEdge edgeOfSize(long size) {
            List<Hash> unknown = new ArrayList<>();
            for (int i = 0; i < Long.bitCount(size); i++) {
                unknown.add(Hash.EMPTY_TREE);
            }
            return new RightEdge(size, unknown);
        }

        private void requireLastBundle(long size) throws IOException {
            long last = size / TilePath.FULL - 1;
            if (last < 0) {
                return;
            }
            TilePath path = new TilePath(TilePath.ENTRIES, last, TilePath.FULL);
            Path file = files.path(path.path());
            if (!files.exists(path.path())) {
                throw damaged(path.path(), "is missing");
            }
            List<byte[]> entries = TileFiles.decode(file, files.read(path.path()));
            byte[] leaves = TileFiles.fullTile(files, 0, last);
            if (entries.size() != TilePath.FULL) {
                throw damaged(path.path(), "has " + entries.size() + " entries, not 256");
            }
            for (int i = 0; i < TilePath.FULL; i++) {
                if (!Hash.leaf(entries.get(i)).equals(Hash.at(leaves, i * Hash.BYTES))) {
                    throw damaged(path.path(), "entry " + (last * TilePath.FULL + i) + " is not the one in the tree");
                }
            }
        }

        private LogAlarm damaged(String name, String why) {
            return new LogAlarm(LogAlarm.Reason.DAMAGED, files.path(name), why);
        }
    }
}
