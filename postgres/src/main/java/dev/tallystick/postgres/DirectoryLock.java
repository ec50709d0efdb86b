package dev.tallystick.postgres;

import static dev.tallystick.postgres.DirectoryInUseException.UNKNOWN;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ownership of one directory: an operating system lock on a separate file. It ends with this process, however the process
 * ends, and the server that we start does not inherit it. The file names the holder for other processes.
 */
final class DirectoryLock implements AutoCloseable {

    private static final int LOOKS = 20;
    private static final int PID_BYTES = 20;

    /**
     * The directories that this JVM holds or is trying to lock. Only one thread at a time may open a lock file: with POSIX
     * locks, closing any channel on the file releases the lock that another channel of the same process holds.
     */
    private static final Set<Object> OPENED_HERE = ConcurrentHashMap.newKeySet();

    private final Path directory;
    private final Object key;
    private final FileChannel channel;

    private DirectoryLock(Path directory, Object key, FileChannel channel) {
        this.directory = directory;
        this.key = key;
        this.channel = channel;
    }

    /** Retries if no live process claims the lock: the holder is just leaving, or has not written its name yet. */
    static DirectoryLock take(Layout layout) throws IOException {
        for (int look = 1; look <= LOOKS; look++) {
            switch (attempt(layout, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                case Attempt.Taken taken -> {
                    return taken.lock();
                }
                case Attempt.Refused refused -> {
                    if (refused.holder() != UNKNOWN) {
                        throw new DirectoryInUseException(layout.root(), refused.holder());
                    }
                }
            }
            Patience.pause();
        }
        throw new DirectoryInUseException(layout.root(), UNKNOWN);
    }

    /**
     * Takes over from a dead owner: only a lock that was once held and is now free.
     *
     * @throws NoSuchFileException if the directory vanishes meanwhile, because its owner was just closing it
     */
    static Optional<DirectoryLock> takeAbandoned(Layout layout) throws IOException {
        if (Files.notExists(layout.lockFile()) || Files.size(layout.lockFile()) == 0) {
            return Optional.empty();
        }
        Attempt attempt = attempt(layout, StandardOpenOption.READ, StandardOpenOption.WRITE);
        return attempt instanceof Attempt.Taken taken ? Optional.of(taken.lock()) : Optional.empty();
    }

    /** Releases the directory. */
    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            OPENED_HERE.remove(key);
        }
    }

    /**
     * Deletes the directory while no other process can use it, and then the lock; the lock comes after the cluster, so that
     * the next process cleans up if we are killed midway.
     */
    void closeAndDelete() throws IOException {
        try {
            PrivateFiles.deleteTree(new Layout(directory).data());
            PrivateFiles.deleteTree(directory);
        } finally {
            close();
        }
    }

    /**
     * As {@link #closeAndDelete}, in a separate process that outlives this one: deleting thousands of files takes seconds.
     * Until then the lock is held.
     */
    void deleteAfterExit() throws IOException {
        String data = new Layout(directory).data().toString();
        new ProcessBuilder("sh", "-c", "rm -rf \"$0\"; rm -rf \"$1\"", data, directory.toString())
                .redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private sealed interface Attempt {

        record Taken(DirectoryLock lock) implements Attempt {}

        /** The holder is unknown if its name is missing from the file, or if it names a dead process. */
        record Refused(long holder) implements Attempt {}
    }

    // The channel stays open while the lock is held.
    @SuppressWarnings("resource")
    private static Attempt attempt(Layout layout, OpenOption... options) throws IOException {
        Object key = keyOf(layout.root());
        if (!OPENED_HERE.add(key)) {
            return new Attempt.Refused(ProcessHandle.current().pid());
        }
        boolean taken = false;
        FileChannel channel = null;
        try {
            channel = FileChannel.open(layout.lockFile(), Set.of(options), PrivateFiles.OWNER_ONLY);
            if (channel.tryLock() == null) {
                return new Attempt.Refused(holder(channel));
            }
            writeOwnName(channel);
            taken = true;
            return new Attempt.Taken(new DirectoryLock(layout.root(), key, channel));
        } finally {
            if (!taken) {
                if (channel != null) {
                    channel.close();
                }
                OPENED_HERE.remove(key);
            }
        }
    }

    // The inode, not the path: one directory may have many names.
    private static Object keyOf(Path directory) throws IOException {
        return Objects.requireNonNull(
                Files.readAttributes(directory, BasicFileAttributes.class).fileKey());
    }

    private static void writeOwnName(FileChannel channel) throws IOException {
        channel.truncate(0);
        channel.write(StandardCharsets.US_ASCII.encode(ProcessHandle.current().pid() + "\n"), 0);
    }

    private static long holder(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(PID_BYTES);
        channel.read(bytes, 0);
        String name = StandardCharsets.US_ASCII.decode(bytes.flip()).toString().strip();
        if (!name.matches("\\d{1,18}")) {
            return UNKNOWN;
        }
        long pid = Long.parseLong(name);
        return ProcessHandle.of(pid).isPresent() ? pid : UNKNOWN;
    }
}
