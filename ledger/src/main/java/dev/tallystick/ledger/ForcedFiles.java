package dev.tallystick.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Writes that have reached the disk when they return. A new name is on disk only once its directory was forced too. */
final class ForcedFiles {

    private ForcedFiles() {}

    static void create(Path file, byte[] bytes, int length) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            writeFully(channel, ByteBuffer.wrap(bytes, 0, length));
            channel.force(true);
        }
    }

    static void create(Path file, byte[] bytes) throws IOException {
        create(file, bytes, bytes.length);
    }

    static void overwrite(Path file, byte[] bytes) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            writeFully(channel, ByteBuffer.wrap(bytes));
            channel.force(true);
        }
    }

    /** Forces what another program has written. */
    static void force(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    static void forceDirectory(Path directory) throws IOException {
        force(directory);
    }

    static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }
}
