package dev.tallystick.postgres;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Directories of servers that end with their process. A killed process cannot clean up after itself; the next process that
 * needs such a directory does, and stops the server that was left running in it.
 */
final class TemporaryDirectories {

    private static final Logger LOG = LoggerFactory.getLogger(TemporaryDirectories.class);

    private static final String PREFIX = "tallystick-postgres-";

    /** Created with access for the owner only. */
    static Path create(Path parent) throws IOException {
        return Files.createTempDirectory(parent, PREFIX).toRealPath();
    }

    static void clearAbandoned(Path parent) throws IOException {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (Path directory : found) {
                clearIfAbandoned(new Layout(directory));
            }
        }
    }

    private static void clearIfAbandoned(Layout layout) throws IOException {
        try {
            Optional<DirectoryLock> lock =
                    isOurOwn(layout.root()) ? DirectoryLock.takeAbandoned(layout) : Optional.empty();
            if (lock.isPresent()) {
                Server.endAll(layout.data());
                lock.get().closeAndDelete();
            }
        } catch (NoSuchFileException gone) {
            LOG.debug("Another process has just deleted {}", layout.root(), gone);
        }
    }

    // Every user can write to such a parent: a link there may lead to one of our directories that is not temporary.
    private static boolean isOurOwn(Path directory) throws IOException {
        return Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS) && PrivateFiles.isOurs(directory);
    }

    private TemporaryDirectories() {}
}
