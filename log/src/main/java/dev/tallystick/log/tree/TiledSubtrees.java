package dev.tallystick.log.tree;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Finds the hashes of a tree of a fixed size in its tiles, and remembers the last tiles that it read. Not thread-safe: make one
 * for each proof or each batch of proofs.
 */
public final class TiledSubtrees implements Subtrees {

    private static final int REMEMBERED = 64;

    private final TileSource tiles;
    private final long size;
    private final Map<TilePath, byte[]> remembered = new LinkedHashMap<>();

    public TiledSubtrees(TileSource tiles, long size) {
        this.tiles = tiles;
        this.size = size;
    }

    @Override
    public Hash hash(int level, long index) throws IOException {
        int tileLevel = level / TilePath.HEIGHT;
        int below = level % TilePath.HEIGHT;
        long first = index << below;
        long tile = first / TilePath.FULL;
        long hashes = TilePath.hashesAt(tileLevel, size) - tile * TilePath.FULL;
        int width = (int) Math.min(TilePath.FULL, hashes);
        int offset = (int) (first % TilePath.FULL);
        if (offset + (1 << below) > width) {
            throw new IllegalArgumentException("no subtree " + index + " of level " + level + " in size " + size);
        }
        return subtree(read(new TilePath(tileLevel, tile, width)), offset, 1 << below);
    }

    private byte[] read(TilePath path) throws IOException {
        byte[] known = remembered.get(path);
        if (known != null) {
            return known;
        }
        byte[] bytes = tiles.read(path);
        if (bytes.length < path.width() * Hash.BYTES) {
            throw new IOException(path.path() + " is too short");
        }
        if (remembered.size() >= REMEMBERED) {
            remembered.remove(remembered.keySet().iterator().next());
        }
        remembered.put(path, bytes);
        return bytes;
    }

    /** The root over {@code count} hashes of a tile, a power of two, from the given one on. */
    public static Hash subtree(byte[] tile, int first, int count) {
        if (count == 1) {
            return Hash.at(tile, first * Hash.BYTES);
        }
        int half = count / 2;
        return Hash.node(subtree(tile, first, half), subtree(tile, first + half, half));
    }
}
