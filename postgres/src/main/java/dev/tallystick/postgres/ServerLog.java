package dev.tallystick.postgres;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * The server's log. A file, not a pipe: the server outlives us, and a pipe would end with us.
 *
 * <p>Anyone on the machine can make the server log by failing to log in. So the file has a maximum size, beyond which all but
 * its newest part is cut off. The server opens the file for appending, so it continues at the new end.
 */
record ServerLog(Path file) {

    static final long MAX_BYTES = 8L << 20;
    static final int KEPT_BYTES = 256 << 10;

    private static final int LAST_WORDS = 20;

    void create() throws IOException {
        try {
            Files.createFile(file, PrivateFiles.OWNER_ONLY);
        } catch (FileAlreadyExistsException present) {
            trim();
        }
    }

    /** The current end of the log, for {@link #lastWordsSince}. */
    long end() throws IOException {
        return Files.size(file);
    }

    List<String> lastWordsSince(long mark) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            long from = Math.max(mark > size ? 0 : mark, size - KEPT_BYTES);
            List<String> lines = StandardCharsets.UTF_8
                    .decode(read(channel, from))
                    .toString()
                    .lines()
                    .toList();
            return lines.subList(Math.max(0, lines.size() - LAST_WORDS), lines.size());
        }
    }

    void trim() throws IOException {
        if (Files.size(file) <= MAX_BYTES) {
            return;
        }
        try (FileChannel reader = FileChannel.open(file, StandardOpenOption.READ);
                FileChannel writer = FileChannel.open(file, StandardOpenOption.APPEND)) {
            ByteBuffer kept = read(reader, reader.size() - KEPT_BYTES);
            writer.truncate(0);
            writer.write(kept);
        }
    }

    private static ByteBuffer read(FileChannel channel, long from) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(KEPT_BYTES);
        for (long at = from; bytes.hasRemaining(); ) {
            int count = channel.read(bytes, at);
            if (count < 0) {
                break;
            }
            at += count;
        }
        return bytes.flip();
    }
}
