package dev.tallystick.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Directories that are gone when the run ends: on the disk of the checkout, or in memory. */
final class Scratch {

    static Path directory() throws IOException {
        return temporary(Files.createDirectories(Path.of("target").toAbsolutePath()));
    }

    /** One in memory, if there is such a place. */
    static Path memory() throws IOException {
        Path memory = Path.of("/dev/shm");
        return Files.isWritable(memory) ? temporary(memory) : directory();
    }

    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    private static Path temporary(Path parent) throws IOException {
        Path directory = Files.createTempDirectory(parent, "bench-");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
        return directory;
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Scratch() {}
}
