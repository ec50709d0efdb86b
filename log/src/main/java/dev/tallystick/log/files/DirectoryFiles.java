package dev.tallystick.log.files;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.log.tree.EntryBundle;
import dev.tallystick.log.tree.TilePath;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The files of a log's directory: written once, read within bounds, listed at their right edge. */
final class DirectoryFiles {

    static final String CHECKPOINT = "checkpoint";
    static final String ROTATIONS = "rotation/";
    static final String MAP = "map";

    private static final int LONGEST_BUNDLE = TilePath.FULL * (2 + EntryBundle.LONGEST_ENTRY);
    private static final String TEMPORARY = ".new";
    private static final int DEEPEST_INDEX = 6;

    private final Path directory;
    private final CrashPoints points;

    DirectoryFiles(Path directory, CrashPoints points) {
        this.directory = directory;
        this.points = points;
    }

    Path path(String name) {
        return directory.resolve(name);
    }

    boolean exists(String name) {
        return Files.exists(path(name));
    }

    byte[] read(String name) throws IOException {
        Path file = path(name);
        if (!Files.isRegularFile(file)) {
            throw new NoSuchFileException(file.toString());
        }
        if (Files.size(file) > LONGEST_BUNDLE) {
            throw new LogAlarm(LogAlarm.Reason.DAMAGED, file, "is longer than any file of a log");
        }
        return Files.readAllBytes(file);
    }

    /** Writes the files in their order, each once, and forces them and their directories. */
    void write(Map<String, byte[]> files) throws IOException {
        Set<Path> directories = new HashSet<>();
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            Path path = path(file.getKey());
            Path parent = path.resolveSibling("");
            ForcedFiles.createDirectories(parent);
            writeOnce(path, file.getValue());
            directories.add(parent);
            points.reached(LogCrashPoint.FILE_NAMED);
        }
        for (Path each : directories) {
            ForcedFiles.forceDirectory(each);
        }
    }

    private static void writeOnce(Path path, byte[] bytes) throws IOException {
        try {
            ForcedFiles.createWhole(path, bytes);
        } catch (FileAlreadyExistsException e) {
            if (!Arrays.equals(Files.readAllBytes(path), bytes)) {
                throw new LogAlarm(LogAlarm.Reason.OTHER_BYTES, path, "exists already, with other bytes", e);
            }
        }
    }

    /** Moves the checkpoint forward; readers see the old one or the new one. */
    void replaceCheckpoint(byte[] note) throws IOException {
        Path temporary = Files.createTempFile(directory, CHECKPOINT, TEMPORARY);
        try {
            ForcedFiles.fill(temporary, note);
            Files.move(temporary, path(CHECKPOINT), StandardCopyOption.ATOMIC_MOVE);
            points.reached(LogCrashPoint.CHECKPOINT_MOVED);
            ForcedFiles.forceDirectory(directory);
            points.reached(LogCrashPoint.CHECKPOINT_FORCED);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** The numbers after which files of a directory are named, in order. */
    List<Long> numbers(String name) throws IOException {
        if (!exists(name)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(path(name))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.matches("[1-9][0-9]{0,17}"))
                    .map(Long::parseLong)
                    .sorted()
                    .toList();
        }
    }

    /** Deletes the tails of sizes before this one. */
    void deleteTailsBefore(long size) throws IOException {
        for (long each : numbers(LogState.TAIL)) {
            if (each < size) {
                Files.deleteIfExists(path(LogState.TAIL + each));
            }
        }
    }

    /** Deletes what a killed writer left at the top of the directory. The caller holds the lock. */
    void deleteTemporaries() throws IOException {
        for (String name : List.of("", LogState.TAIL)) {
            if (!Files.isDirectory(path(name))) {
                continue;
            }
            try (Stream<Path> files = Files.list(path(name))) {
                for (Path file : files.filter(each -> each.toString().endsWith(TEMPORARY))
                        .toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    /** The name of a file that a log of this size does not have; null if there is none. */
    @org.jspecify.annotations.Nullable
    String beyond(long size) throws IOException {
        for (String folder : List.of(LogState.TAIL, ROTATIONS)) {
            for (long each : numbers(folder)) {
                if (each > size) {
                    return folder + each;
                }
            }
        }
        for (int level = TilePath.ENTRIES; level < 8; level++) {
            long full = TilePath.hashesAt(level, size) / TilePath.FULL;
            String folder = "tile/" + (level == TilePath.ENTRIES ? "entries" : level);
            for (int parts = 1; parts <= DEEPEST_INDEX; parts++) {
                long last = lastIndex(path(folder), parts);
                if (last >= full) {
                    return new TilePath(level, last, TilePath.FULL).path();
                }
            }
        }
        return null;
    }

    /** The largest index whose path has this many parts, or -1. */
    private static long lastIndex(Path folder, int parts) throws IOException {
        Path at = folder;
        long index = 0;
        for (int part = 1; part <= parts; part++) {
            String pattern = part < parts ? "x[0-9]{3}" : "[0-9]{3}";
            if (!Files.isDirectory(at)) {
                return -1;
            }
            try (Stream<Path> files = Files.list(at)) {
                String last = files.map(file -> file.getFileName().toString())
                        .filter(name -> name.matches(pattern))
                        .max(String::compareTo)
                        .orElse("");
                if (last.isEmpty()) {
                    return -1;
                }
                index = index * 1000 + Long.parseLong(last.replace("x", ""));
                at = at.resolve(last);
            }
        }
        return index;
    }
}
