package dev.tallystick.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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

    /** Writes a file that is there, and empty. */
    static void fill(Path file, byte[] bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            writeFully(channel, ByteBuffer.wrap(bytes));
            channel.force(true);
        }
    }

    /** Puts a file in the place of another one, or of none: whoever looks sees either of them whole. */
    static void replace(Path file, byte[] bytes) throws IOException {
        Path directory = file.toAbsolutePath().resolveSibling("");
        Path temporary = Files.createTempFile(directory, file.getFileName().toString(), ".new");
        try {
            fill(temporary, bytes);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
            forceDirectory(directory);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Forces what another program has written. */
    static void force(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Makes the directory, and those it lies in, if they are not there; they are on disk then. */
    static void createDirectories(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            return;
        }
        Path parent = directory.toAbsolutePath().getParent();
        if (parent != null) {
            createDirectories(parent);
            Files.createDirectories(directory);
            forceDirectory(parent);
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
