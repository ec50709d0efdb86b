package dev.tallystick.postgres;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Directories of servers that end with their process. A process that is killed cannot clear up after itself; the next one
 * that wants such a directory does, and stops the server that was left running in it.
 */
final class TemporaryDirectories {

    private static final String PREFIX = "tallystick-postgres-";

    /** Created for the owner alone, as the platform promises. */
    static Path create(Path parent) throws IOException {
        return Files.createTempDirectory(parent, PREFIX).toRealPath();
    }

    static void clearAbandoned(Path parent) throws IOException {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (Path directory : found) {
                if (PrivateFiles.isOurs(directory)) {
                    clearIfAbandoned(new Layout(directory));
                }
            }
        }
    }

    private static void clearIfAbandoned(Layout layout) throws IOException {
        Optional<DirectoryLock> lock = DirectoryLock.takeAbandoned(layout);
        if (lock.isPresent()) {
            Server.endAll(layout.data());
            lock.get().closeAndDelete();
        }
    }

    private TemporaryDirectories() {}
}
