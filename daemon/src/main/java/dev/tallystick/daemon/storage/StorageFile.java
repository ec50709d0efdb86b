package dev.tallystick.daemon.storage;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * A SQLite file of the daemon: private to its user, in WAL mode, forced to disk at each commit, and with the tables of this
 * version.
 *
 * @param migrations the resources that create its tables, the first one first; {@code user_version} counts those applied
 */
public record StorageFile(Path path, Class<?> owner, List<String> migrations) {

    private static final int BUSY_MILLIS = 5_000;
    private static final int CACHE_KIBIBYTES = 32 * 1024;
    private static final int CHECKPOINT_PAGES = 4_000;
    private static final int PRIMARY_CODE = 0xff;

    /** The value of {@code pragma synchronous} that forces each commit to disk. */
    private static final int FULL = 2;

    /** A check beyond that of SQLite. Throws a {@link StorageException} if the file must not be used. */
    @FunctionalInterface
    public interface Check {
        void of(Connection connection) throws SQLException;
    }

    /** As {@link #prepare(Check)}, without a further check. */
    public void prepare() {
        prepare(connection -> {});
    }

    /**
     * Checks the file, creates or migrates its tables, and returns when it is ready. A file that is refused stays as it is, and
     * so does its journal.
     *
     * @throws StorageException if it is damaged, too new, or cannot be written
     */
    public void prepare(Check check) {
        createPrivately();
        try (Connection connection = connectToRead()) {
            requireWhole(connection);
            requireKnown(connection);
            check.of(connection);
        } catch (SQLException e) {
            throw failure("cannot open " + path, e);
        }
        try (Connection connection = connect()) {
            requireDurable(connection);
            migrate(connection);
        } catch (SQLException e) {
            throw failure("cannot open " + path, e);
        }
    }

    /** Closing the last connection that can write would move the journal into the file. */
    private Connection connectToRead() throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout(BUSY_MILLIS);
        config.setReadOnly(true);
        return DriverManager.getConnection("jdbc:sqlite:" + path, config.toProperties());
    }

    /** A connection for writing, or for reading. */
    public Connection open() {
        try {
            Connection connection = connect();
            requireDurable(connection);
            return connection;
        } catch (SQLException e) {
            throw failure("cannot open " + path, e);
        }
    }

    private Connection connect() throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout(BUSY_MILLIS);
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.setCacheSize(-CACHE_KIBIBYTES);
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + path, config.toProperties());
        try (Statement statement = connection.createStatement()) {
            statement.execute("pragma wal_autocheckpoint = " + CHECKPOINT_PAGES);
            statement.execute("pragma temp_store = memory");
            // Only macOS knows these: there, a plain fsync does not reach the disk.
            statement.execute("pragma fullfsync = true");
            statement.execute("pragma checkpoint_fullfsync = true");
        }
        return connection;
    }

    /** SQLite would let others read a file that it creates; the journal files get the mode of this one. */
    private void createPrivately() {
        try {
            Files.createFile(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } catch (FileAlreadyExistsException e) {
            // Its mode is checked with that of all files.
        } catch (IOException e) {
            throw new StorageException(StorageException.Kind.UNAVAILABLE, "cannot create " + path + ": " + e, e);
        }
    }

    private void requireDurable(Connection connection) throws SQLException {
        String journal = text(connection, "pragma journal_mode");
        String synchronous = text(connection, "pragma synchronous");
        if (!journal.equalsIgnoreCase("wal") || !synchronous.equals(Integer.toString(FULL))) {
            throw new StorageException(
                    StorageException.Kind.UNAVAILABLE,
                    "%s would not survive a power failure: its journal_mode is %s and synchronous is %s, not wal and %d; put it on a local disk"
                            .formatted(path, journal, synchronous, FULL));
        }
    }

    private void requireWhole(Connection connection) throws SQLException {
        String found = text(connection, "pragma quick_check(1)");
        if (!found.equals("ok")) {
            throw new StorageException(StorageException.Kind.DAMAGED, path + " is damaged: " + found);
        }
    }

    private void requireKnown(Connection connection) throws SQLException {
        int version = version(connection);
        if (version > migrations.size()) {
            throw new StorageException(
                    StorageException.Kind.TOO_NEW,
                    "%s has version %d, and this program knows %d at most: use the newer program"
                            .formatted(path, version, migrations.size()));
        }
    }

    private static int version(Connection connection) throws SQLException {
        return Integer.parseInt(text(connection, "pragma user_version"));
    }

    private void migrate(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("begin immediate");
            for (String name : migrations.subList(version(connection), migrations.size())) {
                statement.executeUpdate(script(name));
            }
            statement.execute("pragma user_version = " + migrations.size());
            statement.execute("commit");
        }
    }

    private String script(String name) {
        try (InputStream in = owner.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the resource " + name + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("cannot read the resource " + name, e);
        }
    }

    /** The first column of the first row. */
    static String text(Connection connection, String pragma) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(pragma)) {
            return result.next() ? result.getString(1) : "";
        }
    }

    /** All that a check of the whole file finds, which takes a while; empty if it is whole. */
    public List<String> check() {
        List<String> found = new ArrayList<>();
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("pragma integrity_check")) {
            while (result.next()) {
                found.add(result.getString(1));
            }
        } catch (SQLException e) {
            found.add(String.valueOf(e.getMessage()));
        }
        found.removeIf("ok"::equals);
        return found;
    }

    /** Says what is true after an error of SQLite, in which nothing was committed. */
    public static StorageException failure(String what, SQLException e) {
        StorageException.Kind kind = switch (primary(e)) {
            case SQLITE_FULL -> StorageException.Kind.FULL;
            case SQLITE_CORRUPT, SQLITE_NOTADB -> StorageException.Kind.DAMAGED;
            default -> StorageException.Kind.UNAVAILABLE;
        };
        return new StorageException(kind, what + ": " + e.getMessage(), e);
    }

    static SQLiteErrorCode primary(SQLException e) {
        return e instanceof SQLiteException known
                ? SQLiteErrorCode.getErrorCode(known.getResultCode().code & PRIMARY_CODE)
                : SQLiteErrorCode.UNKNOWN_ERROR;
    }
}
