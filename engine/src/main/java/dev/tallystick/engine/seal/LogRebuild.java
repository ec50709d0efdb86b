package dev.tallystick.engine.seal;

import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.tree.EntryBundle;
import dev.tallystick.log.tree.TilePath;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Writes a log again from its copy in the database, byte for byte: what is missing in an older copy of the directory, or all of
 * it. Replaces nothing but the checkpoint, and that only by a later one.
 */
public final class LogRebuild {

    private final Database database;
    private final SealStore store = new SealStore();
    private final TileStore tiles = new TileStore();

    public LogRebuild(Database database) {
        this.database = database;
    }

    /**
     * Brings the directory up to the size that the database remembers. May be repeated.
     *
     * @return how many files were written
     * @throws IllegalArgumentException if a file is there with other bytes, or the database lacks a part
     */
    public int rebuild(Path directory) throws IOException {
        SealStore.Anchor anchor = database.transact("read the anchor of the log", store::anchor)
                .orElseThrow(() -> new IllegalArgumentException("the jobs of this database were never sealed"));
        String checkpoint = anchor.checkpoint();
        if (checkpoint == null) {
            return 0;
        }
        int written = 0;
        long size = anchor.size();
        for (int level = TilePath.ENTRIES; TilePath.hashesAt(level, size) > 0; level++) {
            for (TilePath path : TilePath.ofLevel(level, 0, size)) {
                if (path.isFull()) {
                    written += create(directory.resolve(path.path()), read(path));
                } else if (level == TilePath.ENTRIES) {
                    written += create(directory.resolve("tail").resolve(Long.toString(size)), read(path));
                }
            }
        }
        for (Map.Entry<Long, SignedNote> rotation : database.transact(
                        "read the rotations", (Tx tx) -> store.rotations(tx, size))
                .entrySet()) {
            Path file = directory.resolve("rotation").resolve(Long.toString(rotation.getKey()));
            written += create(file, rotation.getValue().bytes());
        }
        ForcedFiles.replace(directory.resolve("checkpoint"), checkpoint.getBytes(StandardCharsets.UTF_8));
        deleteOtherTails(directory, size);
        return written;
    }

    private byte[] read(TilePath path) {
        Optional<byte[]> found = database.transact("read a tile", (Tx tx) -> find(tx, path));
        byte[] bytes =
                found.orElseThrow(() -> new IllegalArgumentException("the database has no copy of " + path.path()));
        if (path.level() != TilePath.ENTRIES) {
            return bytes;
        }
        List<byte[]> entries = EntryBundle.decode(bytes);
        return entries.size() == path.width() ? bytes : EntryBundle.encode(entries.subList(0, path.width()));
    }

    private Optional<byte[]> find(Tx tx, TilePath path) throws SQLException {
        return tiles.read(tx, path);
    }

    private static int create(Path file, byte[] bytes) throws IOException {
        try {
            if (!Arrays.equals(Files.readAllBytes(file), bytes)) {
                throw new IllegalArgumentException(file + " has other bytes than the database: it is not the same log");
            }
            return 0;
        } catch (NoSuchFileException e) {
            ForcedFiles.createDirectories(file.resolveSibling(""));
            ForcedFiles.createWhole(file, bytes);
            ForcedFiles.forceDirectory(file.resolveSibling(""));
            return 1;
        }
    }

    private static void deleteOtherTails(Path directory, long size) throws IOException {
        Path tails = directory.resolve("tail");
        if (Files.isDirectory(tails)) {
            try (Stream<Path> files = Files.list(tails)) {
                for (Path file : files.toList()) {
                    if (!file.getFileName().toString().equals(Long.toString(size))) {
                        Files.delete(file);
                    }
                }
            }
        }
    }
}
