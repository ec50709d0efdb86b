package dev.tallystick.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The storage of the test Postgres: in memory where the machine supports that, unless {@value #PROPERTY} says {@code disk}.
 *
 * <p>Tests kill processes, and the kernel keeps what a killed process has written either way; no test simulates a power cut.
 * But each test creates and deletes hundreds of files, which takes four times as long on a disk.
 */
final class TestStorage {

    static final String PROPERTY = "tally.test.storage";

    private static final Path MEMORY = Path.of("/dev/shm");

    /** A server needs a gigabyte, mostly for its log; containers often have 64 MB here. */
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
