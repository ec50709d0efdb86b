package dev.tallystick.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the Postgres of the tests has its files: in memory where the machine offers that, unless {@value #PROPERTY} says
 * {@code disk}.
 *
 * <p>Tests end processes, and what a killed process has written is in the kernel's hands either way; no test takes the power
 * away. But each test makes some hundreds of files and deletes them, which takes a disk four times as long.
 */
final class TestStorage {

    static final String PROPERTY = "tally.test.storage";

    private static final Path MEMORY = Path.of("/dev/shm");

    /** A server needs a gigabyte, for its log above all; containers often have 64 MB here. */
    private static final long ENOUGH = 4L << 30;

    static Path ofThisJvm() {
        boolean isOnDisk = "disk".equals(System.getProperty(PROPERTY));
        return !isOnDisk && hasRoom(MEMORY) ? MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
    }

    private static boolean hasRoom(Path directory) {
        try {
            return Files.isWritable(directory) && Files.getFileStore(directory).getUsableSpace() >= ENOUGH;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private TestStorage() {}
}
