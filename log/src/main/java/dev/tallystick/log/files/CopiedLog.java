package dev.tallystick.log.files;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.core.file.ProcessLock;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.tree.EntryBundle;
import dev.tallystick.log.tree.TilePath;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A copy of a log that was made while the log grew, its checkpoint first: it may have files that the checkpoint does not name,
 * and its tail may have been deleted before it was copied.
 */
public final class CopiedLog {

    private final DirectoryFiles files;
    private final long size;

    private CopiedLog(DirectoryFiles files, long size) {
        this.files = files;
        this.size = size;
    }

    /**
     * Makes the directory the log of its checkpoint: deletes what is beyond it, and takes the tail from a later file if it is
     * missing. May be repeated. Verifies nothing: {@link LogDirectory#open} does.
     */
    public static void cut(Path directory) throws IOException {
        DirectoryFiles files = new DirectoryFiles(directory, CrashPoints.NONE);
        if (!files.exists(DirectoryFiles.CHECKPOINT)) {
            return;
        }
        try (ProcessLock lock = ProcessLock.open(directory, "lock")) {
            long unused = lock.holding(() -> {
                Checkpoint checkpoint = Checkpoint.parse(
                        StartChecks.note(files, DirectoryFiles.CHECKPOINT).text());
                CopiedLog copied = new CopiedLog(files, checkpoint.size());
                copied.writeTail();
                copied.deleteBeyond();
                return checkpoint.size();
            });
        }
    }

    private void writeTail() throws IOException {
        int width = (int) (size % TilePath.FULL);
        String tail = LogState.TAIL + size;
        if (width == 0 || files.exists(tail)) {
            return;
        }
        String bundle = new TilePath(TilePath.ENTRIES, size / TilePath.FULL, TilePath.FULL).path();
        OptionalLong later = files.numbers(LogState.TAIL).stream()
                .filter(each -> each > size && each / TilePath.FULL == size / TilePath.FULL)
                .mapToLong(Long::longValue)
                .findFirst();
        String source = files.exists(bundle) ? bundle : LogState.TAIL + later.orElse(size);
        if (files.exists(source)) {
            byte[] entries = EntryBundle.encode(
                    TileFiles.decode(files.path(source), files.read(source)).subList(0, width));
            files.write(Map.of(tail, entries));
        }
    }

    private void deleteBeyond() throws IOException {
        for (String name = files.beyond(size); name != null; name = files.beyond(size)) {
            Path file = files.path(name);
            Files.delete(file);
            deleteIfEmpty(file.resolveSibling(""));
        }
    }

    /** An empty directory hides those before it from {@link DirectoryFiles#beyond}. */
    private void deleteIfEmpty(Path parent) throws IOException {
        Path each = parent;
        try {
            while (each.getFileName().toString().startsWith("x")) {
                Files.delete(each);
                each = each.resolveSibling("");
            }
        } catch (DirectoryNotEmptyException e) {
            // The directory stays.
        }
        ForcedFiles.forceDirectory(each);
    }
}
