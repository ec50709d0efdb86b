package dev.tallystick.log.files;

import dev.tallystick.log.map.Insertion;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.tree.TilePath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A batch worked out but not written. The same log and the same entries always give the same plan. */
public final class BatchPlan {

    private final LogState before;
    private final LogState after;
    private final List<byte[]> entries;
    private final Insertion insertion;
    private final Map<String, byte[]> files;

    BatchPlan(LogState before, LogState after, List<byte[]> entries, Insertion insertion, Map<String, byte[]> files) {
        this.before = before;
        this.after = after;
        this.entries = List.copyOf(entries);
        this.insertion = insertion;
        this.files = files;
    }

    public long oldSize() {
        return before.size();
    }

    public long newSize() {
        return after.size();
    }

    public Checkpoint checkpoint() {
        return after.checkpoint();
    }

    /** The exact text to sign. */
    public String note() {
        return after.checkpoint().text();
    }

    /** The bytes of the entries in the order of their indexes, from {@link #oldSize()} on; the last one is the head. */
    public List<byte[]> entries() {
        return entries;
    }

    /** The hash tiles that this batch adds or makes wider, so that they can be copied elsewhere. Partial ones included. */
    public List<TileBytes> hashTiles() {
        List<TileBytes> tiles = new ArrayList<>();
        files.forEach((path, bytes) -> TilePath.parse(path)
                .filter(tile -> tile.level() != TilePath.ENTRIES)
                .ifPresent(tile -> tiles.add(new TileBytes(tile, bytes))));
        tiles.addAll(after.partialTiles());
        return tiles;
    }

    LogState before() {
        return before;
    }

    LogState after() {
        return after;
    }

    Insertion insertion() {
        return insertion;
    }

    /** Each file below the directory, in the order in which they are written. */
    Map<String, byte[]> files() {
        return files;
    }
}
