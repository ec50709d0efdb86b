package dev.tallystick.core.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Writes that are on disk on return. A new name is on disk only after its directory is forced too. */
public final class ForcedFiles {

    private ForcedFiles() {}

    public static void create(Path file, byte[] bytes, int length) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            writeFully(channel, ByteBuffer.wrap(bytes, 0, length));
            channel.force(true);
        }
    }

    public static void create(Path file, byte[] bytes) throws IOException {
        create(file, bytes, bytes.length);
    }

    /** Writes to an existing, empty file. */
    public static void fill(Path file, byte[] bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            writeFully(channel, ByteBuffer.wrap(bytes));
            channel.force(true);
        }
    }

    /** Replaces or creates a file atomically: readers see either the old or the new one. */
    public static void replace(Path file, byte[] bytes) throws IOException {
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

    /**
     * Creates a file that readers see complete or not at all, and never replaces one. The caller forces the directory.
     *
     * @throws java.nio.file.FileAlreadyExistsException if the name is taken
     */
    public static void createWhole(Path file, byte[] bytes) throws IOException {
        Path directory = file.toAbsolutePath().resolveSibling("");
        Path temporary = Files.createTempFile(directory, file.getFileName().toString(), ".new");
        try {
            fill(temporary, bytes);
            Files.createLink(file, temporary);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Forces what another program wrote. */
    public static void force(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Creates the directory and its missing parents, and forces them. */
    public static void createDirectories(Path directory) throws IOException {
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

    public static void forceDirectory(Path directory) throws IOException {
        force(directory);
    }

    public static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }
}
