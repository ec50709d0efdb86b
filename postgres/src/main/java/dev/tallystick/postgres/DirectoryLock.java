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
 * Ownership of one directory: a lock of the operating system on a file of its own, so that it ends with this process however
 * the process ends, and does not pass on to the server that we start. The file names the holder for those who come second.
 */
final class DirectoryLock implements AutoCloseable {

    private static final int LOOKS = 20;
    private static final int PID_BYTES = 20;

    /**
     * The directories that this JVM holds or is trying to. One at a time may open a lock file: closing any channel on it
     * gives up the lock that another channel of the same process holds, for such is the law of POSIX locks.
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

    /** Looks more than once when nobody alive owns up to the lock: the holder is just leaving, or has not written its name. */
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
     * Takes over from an owner that died: only a lock that somebody once held and nobody holds now.
     *
     * @throws NoSuchFileException if the directory vanishes meanwhile, for its owner was only closing it
     */
    static Optional<DirectoryLock> takeAbandoned(Layout layout) throws IOException {
        if (Files.notExists(layout.lockFile()) || Files.size(layout.lockFile()) == 0) {
            return Optional.empty();
        }
        Attempt attempt = attempt(layout, StandardOpenOption.READ, StandardOpenOption.WRITE);
        return attempt instanceof Attempt.Taken taken ? Optional.of(taken.lock()) : Optional.empty();
    }

    /** Gives the directory up. */
    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            OPENED_HERE.remove(key);
        }
    }

    /**
     * Deletes the directory, while nobody else can want it, and with it the lock; that comes after the cluster, so that the next
     * one clears up should we be killed in the middle.
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
     * As {@link #closeAndDelete}, by a process that goes on when this one has ended: to delete thousands of files takes seconds.
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

        /** The holder is unknown if its name is missing in the file, or that of a dead process. */
        record Refused(long holder) implements Attempt {}
    }

    // What is opened here stays open while the lock is held.
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
