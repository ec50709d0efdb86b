package dev.tallystick.ledger.query;

import dev.tallystick.core.Json;
import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.history.Branch;
import dev.tallystick.ledger.history.ChangedStreams;
import dev.tallystick.ledger.history.DocumentState;
import dev.tallystick.ledger.history.StreamView;
import dev.tallystick.ledger.history.View;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.LogEntry;
import dev.tallystick.ledger.tx.Tx;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.write.Signers;
import java.io.IOException;
import java.nio.file.DirectoryStream;
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
 * A SQLite database with the ledger's contents, for SQL queries: {@code document} has the newest state of each document,
 * {@code tx} every transaction, {@code damaged} what could not be read. It proves nothing and can be deleted: it is built from
 * the ledger, and follows the head by the difference between two commits.
 *
 * <p>Each opening works on its own copy. {@code tally/index.db} keeps the index for the next opening, sealed with the ledger's
 * private key ({@link IndexFile}); a file without a valid seal is not used, so the index answers only from the ledger. A
 * machine without that key cannot seal the index and builds it each time. Not thread-safe.
 */
public final class QueryIndex implements AutoCloseable {

    public static final int MOST_ROWS = 100_000;

    /** The index is saved once a twentieth of its transactions is new: less takes longer to save than to index again. */
    private static final int SAVED_SHARE = 20;

    private static final Duration LONGEST_QUERY = Duration.ofSeconds(60);

    /** An older copy was left behind by a killed process. */
    private static final Duration LONGEST_USE = Duration.ofDays(7);

    private static final String SAVED = "index.db";
    private static final String COPY = "index-";

    /** The newest state of the ledger. */
    public interface Views {
        View newest() throws IOException;
    }

    private final IndexFile saved;
    private final Path copy;
    private final Views views;
    private final Signers signers;
    private final Connection connection;
    private final IndexStore store;
    private long unsaved;

    private QueryIndex(IndexFile saved, Path copy, Views views, Signers signers) throws SQLException {
        this.saved = saved;
        this.copy = copy;
        this.views = views;
        this.signers = signers;
        this.connection = connect(copy, false);
        this.store = new IndexStore(connection);
    }

    /** Opens or creates the index and updates it to the head. */
    public static QueryIndex open(Path local, Views views, Instant now) throws IOException {
        removeLeftOvers(local, now.minus(LONGEST_USE));
        Signers signers = new Signers(local);
        IndexFile saved = new IndexFile(local.resolve(SAVED));
        Path copy = Files.createTempFile(local, COPY, ".tmp");
        try {
            Optional<SigningKey> key = signers.held(views.newest());
            if (key.isEmpty() || !saved.copyTo(copy, key.get())) {
                Files.write(copy, new byte[0]);
            }
            return opened(saved, copy, views, signers);
        } catch (SQLException e) {
            Files.deleteIfExists(copy);
            throw failed(e);
        } catch (IOException | RuntimeException e) {
            Files.deleteIfExists(copy);
            throw e;
        }
    }

    private static QueryIndex opened(IndexFile saved, Path copy, Views views, Signers signers)
            throws IOException, SQLException {
        QueryIndex index = new QueryIndex(saved, copy, views, signers);
        try {
            index.store.createTables();
            index.refresh();
            return index;
        } catch (SQLException | IOException | RuntimeException e) {
            index.connection.close();
            throw e;
        }
    }

    private static void removeLeftOvers(Path local, Instant limit) throws IOException {
        try (DirectoryStream<Path> copies = Files.newDirectoryStream(local, COPY + "*.tmp")) {
            for (Path left : copies) {
                if (Files.getLastModifiedTime(left).toInstant().isBefore(limit)) {
                    Files.deleteIfExists(left);
                }
            }
        }
    }

    /** Updates the index to the ledger's head. */
    public void refresh() throws IOException {
        change(false);
    }

    /** Rebuilds the index from scratch. */
    public void rebuild() throws IOException {
        change(true);
    }

    /** How many paths of the ledger could not be read; the table {@code damaged} lists them. */
    public long damaged() throws IOException {
        try {
            return store.damaged();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /**
     * The result of a query.
     *
     * @param rows values in column order: JSON numbers, strings and null
     * @param more whether rows were left out
     */
    public record Rows(List<String> columns, List<List<Json>> rows, boolean more) {}

    /**
     * Runs a query, which cannot change the index.
     *
     * @throws IllegalArgumentException if SQLite rejects the query, with its reason
     */
    public Rows query(String sql, int limit) throws IOException {
        try (Connection reading = connect(copy, true);
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
        } finally {
            Files.deleteIfExists(copy);
        }
    }

    private static Connection connect(Path file, boolean readOnly) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(readOnly);
        config.setJournalMode(SQLiteConfig.JournalMode.MEMORY);
        config.setSynchronous(SQLiteConfig.SynchronousMode.OFF);
        // Otherwise a query could attach other files.
        config.setPragma(SQLiteConfig.Pragma.LIMIT_ATTACHED, "0");
        config.enableLoadExtension(false);
        return config.createConnection("jdbc:sqlite:" + file);
    }

    private void change(boolean fromNothing) throws IOException {
        try {
            View now = views.newest();
            // Damaged objects may have been restored since, which no difference between commits would show.
            View before = fromNothing || store.damaged() > 0 ? null : shown(now).orElse(null);
            if (before != null && before.commit().equals(now.commit())) {
                return;
            }
            try {
                step(before, now);
            } catch (DamagedObjectException e) {
                // The indexed commit can no longer be read.
                step(null, now);
            }
            save(now);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    private void step(@Nullable View before, View now) throws IOException, SQLException {
        store.begin();
        try {
            if (before != null) {
                ChangedStreams.between(before, now, new Rewriting());
            } else {
                store.dropTables();
                store.createTables();
                ChangedStreams.all(now, new Rewriting());
            }
            store.setIndexed(now.commit().toString());
            store.commit();
        } catch (SQLException | IOException | RuntimeException e) {
            store.rollback();
            throw e;
        }
    }

    private void save(View now) throws IOException, SQLException {
        Optional<SigningKey> key = signers.held(now);
        if (key.isPresent() && unsaved * SAVED_SHARE >= store.transactions()) {
            saved.save(copy, key.get());
            unsaved = 0;
        }
    }

    /** The state that the index shows; empty if it is unknown or gone, for instance because the repository was replaced. */
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

    /** Writes the changes to the tables. An unreadable stream is listed as damaged, and the others are indexed. */
    private final class Rewriting implements ChangedStreams.Sink {

        @Override
        public void changed(String path, @Nullable StreamView before, @Nullable StreamView after) throws IOException {
            try {
                if (before != null && after == null) {
                    store.removeDocument(before.id());
                }
                if (after != null) {
                    put(path, before, after);
                }
            } catch (SQLException e) {
                throw failed(e);
            }
        }

        @Override
        public void damaged(String path, DamagedObjectException why) throws IOException {
            try {
                store.putDamaged(path, String.valueOf(why.getMessage()));
            } catch (SQLException e) {
                throw failed(e);
            }
        }
    }

    private void put(String path, @Nullable StreamView before, StreamView after) throws IOException, SQLException {
        try {
            int common = ChangedStreams.common(before, after);
            store.removeTransactions(after.id(), common);
            String time = "";
            for (int version = common + 1; version <= after.version(); version++) {
                time = put("", after, version);
            }
            if (time.isEmpty()) {
                time = time(after.newest());
            }
            if (before == null || !before.allMerged().equals(after.allMerged())) {
                putBranches(after);
            }
            store.putDocument(DocumentState.at(after, after.version()).document(), time);
        } catch (DamagedObjectException e) {
            store.removeDocument(after.id());
            store.putDamaged(path, String.valueOf(e.getMessage()));
        }
    }

    private void putBranches(StreamView document) throws IOException, SQLException {
        store.removeBranches(document.id());
        for (Branch branch : Branch.of(document)) {
            int last = branch.stream().version();
            String name = branch.shared() < last ? branch.name() : "";
            for (int version = branch.shared() + 1; version <= last; version++) {
                put(name, branch.stream(), version);
            }
        }
    }

    /** Returns the time of the write. */
    private String put(String branch, StreamView stream, int version) throws IOException, SQLException {
        byte[] bytes = stream.bytes(version);
        Tx tx = Tx.parse(bytes);
        String time = time(tx);
        store.putTransaction(branch, new LogEntry(version, TxHash.of(bytes), tx), time);
        unsaved++;
        return time;
    }

    private static String time(Tx tx) {
        return Instant.EPOCH.plusNanos(tx.timestamp()).toString();
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
