package dev.tallystick.daemon.outbox;

import dev.tallystick.daemon.storage.CommitMark;
import dev.tallystick.daemon.storage.StorageException;
import dev.tallystick.daemon.storage.StorageFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Looks at an outbox without a daemon: checks every row, and exports what can be read of a damaged file. Works on a copy, so
 * the file stays as it is.
 *
 * @param rows how many rows were read
 * @param damaged how many of them differ from what was accepted
 * @param unreadable how many places in the file could not be read; each may have been a row
 * @param problems what the check of the file found, or why reading stopped
 */
public record Salvage(long rows, long damaged, long unreadable, List<String> problems) {

    private static final int PAGE = 100;

    /** So many empty places in a row mean that there are no more rows. */
    private static final int MOST_GAPS = 1_000;

    private static final int MOST_PROBLEMS = 20;

    public boolean isWhole() {
        return damaged == 0 && unreadable == 0 && problems.isEmpty();
    }

    /** Reads every row that can be read, in the order of acceptance. */
    public static Salvage of(Path directory, Consumer<OutboxRow> rows) throws IOException {
        if (!Files.exists(directory.resolve(Outbox.FILE))) {
            throw new IOException("there is no " + Outbox.FILE + " in " + directory);
        }
        Path copy = Files.createTempDirectory("tally-salvage");
        try {
            // The mark first: a daemon may be committing.
            for (String name : List.of(Outbox.MARK, Outbox.FILE, Outbox.FILE + "-wal")) {
                Path part = directory.resolve(name);
                if (Files.exists(part)) {
                    Files.copy(part, copy.resolve(name));
                }
            }
            return new Reading(rows).read(copy);
        } finally {
            delete(copy);
        }
    }

    private static void delete(Path directory) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }

    /** One pass over a file. */
    private static final class Reading {

        private final Consumer<OutboxRow> consumer;
        private final List<String> problems = new ArrayList<>();
        private long rows;
        private long damaged;
        private long unreadable;

        Reading(Consumer<OutboxRow> consumer) {
            this.consumer = consumer;
        }

        Salvage read(Path copy) {
            StorageFile file = Outbox.file(copy);
            file.check().stream().limit(MOST_PROBLEMS).forEach(problems::add);
            String url = "jdbc:sqlite:" + copy.resolve(Outbox.FILE);
            long last = 0;
            try (Connection connection = DriverManager.getConnection(url)) {
                last = inOrder(new OutboxQueryStore(connection));
                CommitMark.verify(copy.resolve(Outbox.MARK), connection);
            } catch (SQLException | StorageException e) {
                problems.add(String.valueOf(e.getMessage()));
            }
            if (!problems.isEmpty()) {
                oneByOne(url, last);
            }
            return new Salvage(rows, damaged, unreadable, List.copyOf(problems));
        }

        /** As long as that works. The last position that was read. */
        private long inOrder(OutboxQueryStore store) {
            long position = 0;
            try {
                for (List<OutboxRow> page = store.list(null, 0, PAGE);
                        !page.isEmpty();
                        page = store.list(null, position, PAGE)) {
                    page.forEach(this::found);
                    position = page.getLast().position();
                }
            } catch (SQLException e) {
                problems.add(String.valueOf(e.getMessage()));
            }
            return position;
        }

        /** Around the damage: a row whose own pages are whole can be read. */
        private void oneByOne(String url, long after) {
            int gaps = 0;
            long failed = 0;
            for (long position = after + 1; gaps < MOST_GAPS; position++) {
                Optional<OutboxRow> row = Optional.empty();
                try (Connection connection = DriverManager.getConnection(url)) {
                    row = new OutboxQueryStore(connection).at(position);
                } catch (SQLException e) {
                    failed++;
                }
                gaps = row.isPresent() ? 0 : gaps + 1;
                if (row.isPresent()) {
                    found(row.get());
                    unreadable += failed;
                    failed = 0;
                }
            }
            unreadable += failed > 0 && rows == 0 ? 1 : 0;
        }

        private void found(OutboxRow row) {
            rows++;
            damaged += row.isDamaged() ? 1 : 0;
            consumer.accept(row);
        }
    }
}
