package dev.tallystick.ledger;

import dev.tallystick.core.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * A SQLite database that shows what the ledger holds, for questions in SQL: {@code document} has the newest state of each,
 * {@code tx} every transaction. It proves nothing and may be thrown away: it is built from the ledger, and follows the head
 * by what differs between two commits. Each step is one transaction of SQLite that ends with the commit it shows, so a crash
 * leaves the index where it was. Not thread-safe; any number of processes may have it open.
 */
public final class QueryIndex implements AutoCloseable {

    public static final int MOST_ROWS = 100_000;

    private static final Duration LONGEST_QUERY = Duration.ofSeconds(60);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    /** The newest state of the ledger. */
    interface Views {
        View newest() throws IOException;
    }

    private final Path file;
    private final Views views;
    private final Connection connection;
    private final IndexStore store;

    private QueryIndex(Path file, Views views) throws IOException, SQLException {
        this.file = file;
        this.views = views;
        this.connection = connect(file, false);
        this.store = new IndexStore(connection);
    }

    /** Opens the index, or begins one; a file that is no index any more is thrown away. */
    static QueryIndex open(Path file, Views views) throws IOException {
        try {
            return opened(file, views);
        } catch (SQLException e) {
            for (String suffix : List.of("", "-wal", "-shm")) {
                Files.deleteIfExists(file.resolveSibling(file.getFileName() + suffix));
            }
        }
        try {
            return opened(file, views);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** Brings the index up to the head of the ledger. */
    public void refresh() throws IOException {
        change(false);
    }

    /** Builds the index from nothing. */
    public void rebuild() throws IOException {
        change(true);
    }

    /**
     * An answer.
     *
     * @param rows in the order of the columns; numbers, texts and null as JSON has them
     * @param more whether rows were left out
     */
    public record Rows(List<String> columns, List<List<Json>> rows, boolean more) {}

    /**
     * Asks the index, which cannot be changed by this.
     *
     * @throws IllegalArgumentException if SQLite does not take the question, with its reason
     */
    public Rows query(String sql, int limit) throws IOException {
        try (Connection reading = connect(file, true);
                Statement statement = reading.createStatement()) {
            statement.setQueryTimeout((int) LONGEST_QUERY.toSeconds());
            try (ResultSet result = statement.executeQuery(sql)) {
                return rows(result, Math.min(limit, MOST_ROWS));
            }
        } catch (SQLiteException e) {
            if (e.getResultCode() == SQLiteErrorCode.SQLITE_BUSY || e.getResultCode() == SQLiteErrorCode.SQLITE_IOERR) {
                throw failed(e);
            }
            throw new IllegalArgumentException(e.getMessage(), e);
        } catch (SQLException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            connection.close();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    private static QueryIndex opened(Path file, Views views) throws IOException, SQLException {
        QueryIndex index = new QueryIndex(file, views);
        try {
            index.store.createTables();
            index.store.indexed();
            return index;
        } catch (SQLException e) {
            index.connection.close();
            throw e;
        }
    }

    private static Connection connect(Path file, boolean readOnly) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(readOnly);
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.setBusyTimeout(readOnly ? 0 : (int) LONGEST_WAIT.toMillis());
        // Otherwise a question could reach for other files.
        config.setPragma(SQLiteConfig.Pragma.LIMIT_ATTACHED, "0");
        config.enableLoadExtension(false);
        return config.createConnection("jdbc:sqlite:" + file);
    }

    private void change(boolean fromNothing) throws IOException {
        try {
            store.begin();
            try {
                View now = views.newest();
                Optional<View> before = fromNothing ? Optional.empty() : shown(now);
                if (before.isEmpty()) {
                    store.dropTables();
                    store.createTables();
                    ChangedStreams.all(now, this::put);
                } else {
                    ChangedStreams.between(before.get(), now, this::put);
                }
                store.setIndexed(now.commit().toString());
                store.commit();
            } catch (SQLException | IOException | RuntimeException e) {
                store.rollback();
                throw e;
            }
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** The state that the index shows; empty if that is unknown or gone, as after somebody has put another repository here. */
    private Optional<View> shown(View now) throws IOException, SQLException {
        Optional<String> commit = store.indexed().filter(Oid::isHex);
        if (commit.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(now.at(Oid.parse(commit.get())));
        } catch (DamagedObjectException e) {
            return Optional.empty();
        }
    }

    private void put(@Nullable StreamView before, @Nullable StreamView after) throws IOException {
        try {
            if (after == null) {
                if (before != null) {
                    store.removeDocument(before.id());
                }
                return;
            }
            int common = ChangedStreams.common(before, after);
            store.removeTransactions(after.id(), common);
            String time = "";
            for (int version = common + 1; version <= after.version(); version++) {
                byte[] bytes = after.bytes(version);
                Tx tx = Tx.parse(bytes);
                time = Instant.EPOCH.plusNanos(tx.timestamp()).toString();
                store.putTransaction(new LogEntry(version, TxHash.of(bytes), tx), time);
            }
            if (time.isEmpty()) {
                time = Instant.EPOCH.plusNanos(after.newest().timestamp()).toString();
            }
            store.putDocument(DocumentState.at(after, after.version()).document(), time);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    private static Rows rows(ResultSet result, int limit) throws SQLException {
        List<String> columns = new ArrayList<>();
        for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
            columns.add(result.getMetaData().getColumnLabel(i));
        }
        List<List<Json>> rows = new ArrayList<>();
        boolean more = result.next();
        while (more && rows.size() < limit) {
            List<Json> row = new ArrayList<>();
            for (int i = 1; i <= columns.size(); i++) {
                row.add(value(result.getObject(i)));
            }
            rows.add(row);
            more = result.next();
        }
        return new Rows(columns, rows, more);
    }

    private static Json value(@Nullable Object value) {
        return switch (value) {
            case null -> Json.ofNull();
            case Integer number -> Json.of(number.longValue());
            case Long number when Math.abs(number) <= Json.NumberValue.LARGEST_EXACT_INTEGER -> Json.of(number);
            case Double number when Double.isFinite(number) && Math.abs(number) < 1e15 -> Json.of(number);
            case Object other -> Json.of(other.toString());
        };
    }

    private static IOException failed(SQLException e) {
        return new IOException("the query index: " + e.getMessage(), e);
    }
}
