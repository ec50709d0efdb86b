package dev.tallystick.engine.seal;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.files.BatchPlan;
import dev.tallystick.log.files.Commit;
import dev.tallystick.log.files.Intent;
import dev.tallystick.log.files.LogDirectory;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.tree.TilePath;
import dev.tallystick.sql.Database;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Takes a recorded batch from its intent to the anchor: signature, files, checkpoint, anchor. Each step may be a repeat. */
final class BatchPublisher {

    private final Database database;
    private final SigningKeys keys;
    private final CrashPoints crashPoints;
    private final SealStore store = new SealStore();
    private final TileStore tiles = new TileStore();

    BatchPublisher(Database database, SigningKeys keys, CrashPoints crashPoints) {
        this.database = database;
        this.keys = keys;
        this.crashPoints = crashPoints;
    }

    /**
     * Signs and writes the batch, as far as that has not happened, and moves the anchor.
     *
     * @param plan null for a batch of an earlier process
     * @return false if another process has moved the checkpoint or the anchor further
     */
    boolean publish(LogDirectory log, Intent batch, @Nullable BatchPlan plan) throws IOException {
        Optional<SignedNote> published = checkpoint(log, batch, plan);
        if (published.isEmpty()) {
            return false;
        }
        crashPoints.reached(SealCrashPoint.PUBLISHED);
        String note = published.get().toString();
        List<TileStore.Tile> copies = copies(log, batch.oldSize());
        boolean moved = database.transact("move the anchor of the log", tx -> {
            boolean advanced = store.advance(tx, batch, note);
            if (advanced) {
                tiles.write(tx, copies);
                if (rotates(batch)) {
                    store.rotated(tx, batch.oldSize() + batch.entries().size(), note);
                }
                crashPoints.reached(SealCrashPoint.ANCHORING);
            }
            return advanced;
        });
        if (moved) {
            crashPoints.reached(SealCrashPoint.ANCHORED);
            keys.use(log.keys().current());
        }
        return moved;
    }

    private Optional<SignedNote> checkpoint(LogDirectory log, Intent batch, @Nullable BatchPlan made)
            throws IOException {
        Optional<SignedNote> there = log.checkpoint().filter(note -> note.text().equals(batch.note()));
        if (there.isPresent()) {
            return there;
        }
        BatchPlan plan = made == null ? log.plan(batch) : made;
        SignedNote note = keys.current().sign(plan.note());
        crashPoints.reached(SealCrashPoint.SIGNED);
        log.write(plan);
        crashPoints.reached(SealCrashPoint.FILES_WRITTEN);
        return switch (log.commit(plan, note)) {
            case Commit.Committed committed -> Optional.of(committed.checkpoint());
            case Commit.Superseded superseded -> Optional.empty();
        };
    }

    private static boolean rotates(Intent batch) {
        byte[] beforeHead = batch.entries().get(batch.entries().size() - 2);
        return LogEntry.parse(beforeHead) instanceof LogEntry.KeyRotation;
    }

    /** The tiles and bundles that changed since the log had this size. */
    static List<TileStore.Tile> copies(LogDirectory log, long oldSize) throws IOException {
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
}
