package dev.tallystick.daemon.storage;

import dev.tallystick.core.file.ForcedFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the commits of a file, in the file itself and in a small file beside it. SQLite reads a damaged journal up to the
 * damage and silently drops the commits behind it. Then the database has a lower number than the mark, and is refused.
 *
 * <p>The mark is written after its commit was forced to disk and before the commit's callers are answered. So it never runs
 * ahead of a healthy database, and it covers every acknowledged commit. The mark itself is not forced, which would double the
 * cost of a commit: after a power failure it may be some seconds behind, and only damage to the journal within those seconds
 * would go unnoticed.
 *
 * <p>For the writing thread.
 */
public final class CommitMark implements AutoCloseable {

    private static final int LENGTH = Long.BYTES + Integer.BYTES;
    private static final Logger LOG = LoggerFactory.getLogger(CommitMark.class);

    private final Path file;
    private final FileChannel channel;
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(LENGTH);
    private final CommitStore store;
    private long number;
    private long changesSeen;
    private boolean isCounted;

    private CommitMark(Path file, Connection connection) throws SQLException, IOException {
        this.file = file;
        this.number = CommitStore.number(connection);
        this.store = new CommitStore(connection);
        this.changesSeen = store.changes();
        if (number > 0 && !Files.exists(file)) {
            LOG.warn("{} is missing: if commits of the database are missing too, that cannot be noticed", file);
        }
        // Whole or not at all; from then on its length stays the same, and one sector is written at a time.
        ForcedFiles.replace(file, encoded(ByteBuffer.allocate(LENGTH), number).array());
        this.channel = FileChannel.open(file, StandardOpenOption.WRITE);
    }

    /**
     * Starts to count.
     *
     * @param file the mark, which was checked
     * @param connection the only one that writes; it has the table {@code commits}
     */
    public static CommitMark open(Path file, Connection connection) {
        try {
            return new CommitMark(file, connection);
        } catch (SQLException e) {
            throw StorageFile.failure("cannot count the commits for " + file, e);
        } catch (IOException e) {
            throw new StorageException(StorageException.Kind.UNAVAILABLE, "cannot write " + file + ": " + e, e);
        }
    }

    /** Changes nothing. @throws StorageException if the database lacks commits that the mark has seen */
    public static void verify(Path file, Connection connection) throws SQLException {
        long found = CommitStore.number(connection);
        long seen = read(file);
        if (seen > found) {
            throw new StorageException(
                    StorageException.Kind.DAMAGED,
                    ("%d of %d acknowledged commits are missing: the journal was cut short, or an older copy took the place of the"
                                    + " database; bring the right one back, or remove %s to do without them")
                            .formatted(seen - found, seen, file.getFileName()));
        }
    }

    /** The number in a mark; 0 if there is none. */
    private static long read(Path file) {
        try {
            ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(file));
            if (content.remaining() == LENGTH) {
                long number = content.getLong();
                if (content.getInt() == checksum(number)) {
                    return number;
                }
            }
            throw new StorageException(
                    StorageException.Kind.DAMAGED,
                    file.getFileName() + " is damaged: if the database beside it is up to date, remove it");
        } catch (NoSuchFileException e) {
            return 0;
        } catch (IOException e) {
            throw new StorageException(StorageException.Kind.UNAVAILABLE, "cannot read " + file + ": " + e, e);
        }
    }

    private static ByteBuffer encoded(ByteBuffer bytes, long number) {
        return bytes.clear().putLong(number).putInt(checksum(number)).flip();
    }

    private static int checksum(long number) {
        CRC32C sum = new CRC32C();
        sum.update(ByteBuffer.allocate(Long.BYTES).putLong(number).flip());
        return (int) sum.getValue();
    }

    /** Just before a commit, in its transaction. One that changes nothing is not counted: SQLite does not write it either. */
    void count() throws SQLException {
        long now = store.changes();
        if (now != changesSeen) {
            store.set(number + 1);
            changesSeen = now + 1;
            isCounted = true;
        }
    }

    /** Just after a commit, which stands even if the mark cannot be written: then the mark is behind. */
    void committed() {
        if (!isCounted) {
            return;
        }
        isCounted = false;
        number++;
        try {
            int unused = channel.write(encoded(bytes, number), 0);
        } catch (IOException e) {
            LOG.warn("cannot write {}: {}", file, e.toString());
        }
    }

    void rolledBack() {
        isCounted = false;
    }

    @Override
    public void close() {
        try {
            channel.force(false);
            channel.close();
            store.close();
        } catch (IOException | SQLException e) {
            LOG.warn("cannot close {}: {}", file, e.toString());
        }
    }
}
