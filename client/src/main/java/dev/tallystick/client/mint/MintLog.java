package dev.tallystick.client.mint;

import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.core.file.ProcessLock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * The lines of a mint in their file, which one process at a time has open. A line is on disk when {@link #append} returns; a
 * line whose write failed is not there, now or after a restart. Not thread-safe.
 */
final class MintLog implements AutoCloseable {

    private final Path file;
    private final FileChannel lock;
    private FileChannel channel;

    /** The end of the last line that is on disk. */
    private long end;

    private MintLog(Path file, FileChannel lock, FileChannel channel) {
        this.file = file;
        this.lock = lock;
        this.channel = channel;
    }

    /** @throws IllegalStateException if another process has it open */
    static MintLog open(Path file) throws IOException {
        FileChannel lock = lock(file);
        try {
            return new MintLog(file, lock, FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE));
        } catch (IOException e) {
            lock.close();
            throw e;
        }
    }

    /** The existing lines. An unfinished last line does not count: {@link #append} did not return. */
    List<String> lines() throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int whole = bytes.length;
        while (whole > 0 && bytes[whole - 1] != '\n') {
            whole--;
        }
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes, 0, whole))
                .toString()
                .lines()
                .toList();
    }

    /** Replaces all lines by these. If this fails, it must succeed before the next {@link #append}. */
    void replace(List<String> lines) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        FileChannel replacement = FileChannel.open(fresh, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            StringBuilder content = new StringBuilder();
            lines.forEach(line -> content.append(line).append('\n'));
            write(replacement, content.toString());
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            replacement.close();
            throw e;
        }
        channel.close();
        channel = replacement;
        end = replacement.position();
        forceName();
    }

    void append(String line) throws IOException {
        // If a failed write was not rolled back, roll it back now, or write nothing at all.
        channel.truncate(end);
        try {
            write(channel, line + "\n");
            end = channel.position();
        } catch (IOException e) {
            takeBack(e);
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        try (lock) {
            channel.close();
        }
    }

    private static FileChannel lock(Path file) throws IOException {
        Path path = file.resolveSibling(file.getFileName() + ".lock");
        FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (!ProcessLock.lockOrClose(channel)) {
            throw new IllegalStateException(file + " is in use: each process needs a mint of its own");
        }
        return channel;
    }

    private void takeBack(IOException failure) {
        try {
            channel.truncate(end);
            channel.force(true);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /** A renamed file survives a power failure only once the directory is on disk. */
    private void forceName() throws IOException {
        ForcedFiles.forceDirectory(file.toAbsolutePath().resolveSibling(""));
    }

    private static void write(FileChannel channel, String text) throws IOException {
        ForcedFiles.writeFully(channel, StandardCharsets.UTF_8.encode(text));
        channel.force(true);
    }
}
