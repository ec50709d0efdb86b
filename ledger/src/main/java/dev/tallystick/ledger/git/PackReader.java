package dev.tallystick.ledger.git;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * Reads a file at given positions from many threads. An interrupted reader closes a {@link FileChannel} for all threads; the
 * next reader reopens it.
 */
final class PackReader implements AutoCloseable {

    private final Path file;
    private FileChannel channel;
    private boolean closed;

    PackReader(Path file) throws IOException {
        this.file = file;
        this.channel = FileChannel.open(file, StandardOpenOption.READ);
    }

    long size() throws IOException {
        return open().size();
    }

    /** Reads exactly {@code length} bytes; the file is damaged if it is shorter. */
    byte[] read(long position, int length) throws IOException {
        byte[] bytes = new byte[length];
        if (readUpTo(position, bytes) < length) {
            throw new DamagedObjectException(file.getFileName() + " ends before byte " + (position + length));
        }
        return bytes;
    }

    /** Fills {@code target} up to the end of the file and returns the number of bytes. */
    int readUpTo(long position, byte[] target) throws IOException {
        while (true) {
            FileChannel opened = open();
            try {
                ByteBuffer buffer = ByteBuffer.wrap(target);
                while (buffer.hasRemaining()) {
                    int got = opened.read(buffer, position + buffer.position());
                    if (got < 0) {
                        break;
                    }
                }
                return buffer.position();
            } catch (ClosedByInterruptException e) {
                throw e;
            } catch (ClosedChannelException e) {
                // Another thread was interrupted while reading; open() makes a new channel, or reports that we are
                // closed.
            }
        }
    }

    byte[] readAll() throws IOException {
        long size = size();
        if (size > Integer.MAX_VALUE - 16) {
            throw new EOFException(file + " is too large to be read at once");
        }
        byte[] bytes = new byte[(int) size];
        int got = readUpTo(0, bytes);
        return got == bytes.length ? bytes : Arrays.copyOf(bytes, got);
    }

    private synchronized FileChannel open() throws IOException {
        if (closed) {
            throw new ClosedChannelException();
        }
        if (!channel.isOpen()) {
            channel = FileChannel.open(file, StandardOpenOption.READ);
        }
        return channel;
    }

    @Override
    public synchronized void close() throws IOException {
        closed = true;
        channel.close();
    }
}
