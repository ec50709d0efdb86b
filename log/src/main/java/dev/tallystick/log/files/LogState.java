package dev.tallystick.log.files;

import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.tree.EntryBundle;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.log.tree.RightEdge;
import dev.tallystick.log.tree.TilePath;
import dev.tallystick.log.tree.TiledSubtrees;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is needed to append to a log: its right edge, the entries that do not fill a bundle, and at each level the hashes that do
 * not fill a tile. Immutable.
 */
record LogState(String origin, RightEdge edge, List<byte[]> tail, List<List<Hash>> levels) {

    static final String TAIL = "tail/";

    LogState {
        tail = List.copyOf(tail);
        levels = levels.stream().map(List::copyOf).toList();
    }

    static LogState empty(String origin) {
        return new LogState(origin, RightEdge.EMPTY, List.of(), List.of());
    }

    long size() {
        return edge.size();
    }

    Checkpoint checkpoint() {
        return new Checkpoint(origin, edge.size(), edge.root());
    }

    /** The tiles at the right edge that are not full. */
    List<TileBytes> partialTiles() {
        List<TileBytes> tiles = new ArrayList<>();
        for (int level = 0; level < levels.size(); level++) {
            if (!levels.get(level).isEmpty()) {
                long index = TilePath.hashesAt(level, size()) / TilePath.FULL;
                tiles.add(new TileBytes(
                        new TilePath(level, index, levels.get(level).size()), tile(levels.get(level))));
            }
        }
        return tiles;
    }

    static byte[] tile(List<Hash> hashes) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(hashes.size() * Hash.BYTES);
        hashes.forEach(hash -> bytes.writeBytes(hash.bytes()));
        return bytes.toByteArray();
    }

    /** The log with more entries, and the files that it needs for them. */
    static final class Appending {

        private final String origin;
        private final Map<String, byte[]> files = new LinkedHashMap<>();
        private final List<byte[]> tail;
        private final List<List<Hash>> levels = new ArrayList<>();
        private RightEdge edge;

        Appending(LogState before) {
            this.origin = before.origin;
            this.edge = before.edge;
            this.tail = new ArrayList<>(before.tail);
            before.levels.forEach(level -> levels.add(new ArrayList<>(level)));
        }

        void append(byte[] entry) {
            long index = edge.size();
            tail.add(entry);
            if (tail.size() == TilePath.FULL) {
                files.put(
                        new TilePath(TilePath.ENTRIES, index / TilePath.FULL, TilePath.FULL).path(),
                        EntryBundle.encode(tail));
                tail.clear();
            }
            Hash leaf = Hash.leaf(entry);
            edge = edge.append(leaf);
            append(0, index, leaf);
        }

        private void append(int level, long index, Hash hash) {
            if (level == levels.size()) {
                levels.add(new ArrayList<>());
            }
            List<Hash> hashes = levels.get(level);
            hashes.add(hash);
            if (hashes.size() == TilePath.FULL) {
                byte[] tile = tile(hashes);
                files.put(new TilePath(level, index / TilePath.FULL, TilePath.FULL).path(), tile);
                hashes.clear();
                append(level + 1, index / TilePath.FULL, TiledSubtrees.subtree(tile, 0, TilePath.FULL));
            }
        }

        LogState after() {
            return new LogState(origin, edge, tail, levels);
        }

        /** Full bundles and tiles, and the tail last. */
        Map<String, byte[]> files() {
            if (!tail.isEmpty()) {
                files.put(TAIL + edge.size(), EntryBundle.encode(tail));
            }
            return files;
        }
    }
}
