package dev.tallystick.log.files;

import dev.tallystick.log.tree.EntryBundle;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.log.tree.TilePath;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Finds tiles and bundles: full ones in their files, the others in memory. */
final class TileFiles {

    private TileFiles() {}

    static byte[] read(DirectoryFiles files, LogState state, TilePath path) throws IOException {
        long hashes = TilePath.hashesAt(path.level(), state.size());
        long last = path.index() * TilePath.FULL + path.width();
        if (path.index() > hashes / TilePath.FULL || last > hashes) {
            throw new NoSuchFileException(path.path());
        }
        if (path.level() == TilePath.ENTRIES) {
            return EntryBundle.encode(entries(files, state, path.index()).subList(0, path.width()));
        }
        boolean full = path.index() < hashes / TilePath.FULL;
        byte[] tile = full
                ? fullTile(files, path.level(), path.index())
                : LogState.tile(state.levels().get(path.level()));
        return Arrays.copyOf(tile, path.width() * Hash.BYTES);
    }

    /** All entries of a bundle that a log has. */
    static List<byte[]> entries(DirectoryFiles files, LogState state, long index) throws IOException {
        long full = state.size() / TilePath.FULL;
        if (index == full) {
            return state.tail();
        }
        TilePath path = new TilePath(TilePath.ENTRIES, index, TilePath.FULL);
        if (index > full) {
            throw new NoSuchFileException(path.path());
        }
        List<byte[]> entries = decode(files.path(path.path()), present(files, path));
        if (entries.size() != TilePath.FULL) {
            throw damaged(files.path(path.path()), "has " + entries.size() + " entries, not 256");
        }
        return entries;
    }

    static byte[] fullTile(DirectoryFiles files, int level, long index) throws IOException {
        TilePath path = new TilePath(level, index, TilePath.FULL);
        byte[] tile = present(files, path);
        if (tile.length != TilePath.FULL * Hash.BYTES) {
            throw damaged(files.path(path.path()), "has " + tile.length + " bytes, not 8,192");
        }
        return tile;
    }

    private static byte[] present(DirectoryFiles files, TilePath path) throws IOException {
        try {
            return files.read(path.path());
        } catch (NoSuchFileException e) {
            throw new LogAlarm(LogAlarm.Reason.DAMAGED, files.path(path.path()), "is missing", e);
        }
    }

    static List<byte[]> decode(Path file, byte[] bundle) {
        try {
            return EntryBundle.decode(bundle);
        } catch (IllegalArgumentException e) {
            throw new LogAlarm(LogAlarm.Reason.DAMAGED, file, "is not a bundle: " + e.getMessage(), e);
        }
    }

    static LogAlarm damaged(Path file, String why) {
        return new LogAlarm(LogAlarm.Reason.DAMAGED, file, why);
    }
}
