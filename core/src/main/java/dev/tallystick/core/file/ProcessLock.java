package dev.tallystick.core.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock file that one thread of one process holds at a time. The operating system releases it when the process dies.
 *
 * <p>File locks belong to the whole Java process, and closing any channel on a file releases the process's lock on it. So all
 * users within a process share one channel, found in a table, behind a thread lock.
 */
public final class ProcessLock implements AutoCloseable {

    private static final Map<Path, ProcessLock> OPEN = new HashMap<>();

    private final Path file;
    private FileChannel channel;
    private final ReentrantLock threads = new ReentrantLock(true);
    private int users;

    private ProcessLock(Path file) throws IOException {
        this.file = file;
        this.channel = opened(file);
    }

    public static ProcessLock open(Path directory, String name) throws IOException {
        Path key = directory.toRealPath().resolve(name);
        synchronized (OPEN) {
            ProcessLock lock = OPEN.get(key);
            if (lock == null) {
                lock = new ProcessLock(key);
                OPEN.put(key, lock);
            }
            lock.users++;
            return lock;
        }
    }

    /** Locks the file of a channel until the channel is closed. If any process has it, this one included, closes the channel. */
    public static boolean lockOrClose(FileChannel channel) throws IOException {
        boolean isOurs = false;
        try {
            isOurs = channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            // This process itself has it, which is no better than another one.
        } finally {
            if (!isOurs) {
                channel.close();
            }
        }
        return isOurs;
    }

    /** Runs under the lock. */
    public interface Work<T> {
        T run() throws IOException;
    }

    /** Waits for the lock, then runs the work. */
    public <T> T holding(Work<T> work) throws IOException {
        threads.lock();
        try {
            FileLock lock = channel().lock();
            try {
                return work.run();
            } finally {
                lock.release();
            }
        } finally {
            threads.unlock();
        }
    }

    /** Runs the work if the lock is free, and returns whether it was. */
    public boolean holdingIfFree(Work<?> work) throws IOException {
        if (!threads.tryLock()) {
            return false;
        }
        try {
            FileLock lock = channel().tryLock();
            if (lock == null) {
                return false;
            }
            try {
                work.run();
                return true;
            } finally {
                lock.release();
            }
        } finally {
            threads.unlock();
        }
    }

    /** A thread interrupted while waiting closes the channel; the next one, alone here, opens another. */
    private FileChannel channel() throws IOException {
        if (!channel.isOpen()) {
            channel = opened(file);
        }
        return channel;
    }

    private static FileChannel opened(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    @Override
    public void close() throws IOException {
        synchronized (OPEN) {
            if (--users == 0) {
                OPEN.remove(file);
                channel.close();
            }
        }
    }
}
