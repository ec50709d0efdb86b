package dev.tallystick.server.backup;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.sql.CopyStore;
import dev.tallystick.sql.CopyStore.Table;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SessionLimits;
import dev.tallystick.sql.SharedClock;
import dev.tallystick.sql.Tx;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * Copies all tables of a database into a directory, as of one moment and while servers run. The copy of the log in the database
 * is part of it; the signing key and the installation's secret are not.
 */
public final class Backup {

    private final Database database;
    private final CrashPoints crashPoints;
    private final CopyStore store = new CopyStore();

    public Backup(Database database, CrashPoints crashPoints) {
        this.database = database;
        this.crashPoints = crashPoints;
    }

    /** A backup that was made. */
    public record Made(Instant at, int tables, long rows, long bytes) {}

    /**
     * Makes a backup.
     *
     * @param directory does not exist, or is empty
     */
    public Made into(Path directory) throws IOException {
        requireEmpty(directory);
        if (!Files.exists(directory)) {
            Files.createDirectory(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        Manifest manifest = database.readSnapshot("back up", SessionLimits.LONG, tx -> copy(tx, directory));
        crashPoints.reached(BackupCrashPoint.TABLES_COPIED);
        ForcedFiles.forceDirectory(directory);
        ForcedFiles.createWhole(directory.resolve(Manifest.FILE), manifest.bytes());
        ForcedFiles.forceDirectory(directory);
        return new Made(
                manifest.madeAt(),
                manifest.parts().size(),
                manifest.parts().stream().mapToLong(Manifest.Part::rows).sum(),
                manifest.parts().stream().mapToLong(Manifest.Part::bytes).sum());
    }

    private static void requireEmpty(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> files = Files.list(directory)) {
                if (files.findAny().isPresent()) {
                    throw new BackupException(directory + " is not empty: name a directory that does not exist");
                }
            }
        }
    }

    private Manifest copy(Tx tx, Path directory) throws SQLException {
        Instant at = SharedClock.DATABASE.now(tx);
        List<Manifest.Part> parts = new ArrayList<>();
        for (Table table : store.tables(tx)) {
            try {
                parts.add(copy(tx, table, directory));
            } catch (IOException e) {
                throw new UncheckedIOException("cannot write the rows of " + table.name(), e);
            }
        }
        // Last: each sequence is then past every number in the tables.
        return new Manifest(at, store.migrations(tx), parts, store.sequences(tx));
    }

    private Manifest.Part copy(Tx tx, Table table, Path directory) throws SQLException, IOException {
        MessageDigest digest = sha256();
        Path file = directory.resolve(table.name() + ".copy");
        long rows;
        try (OutputStream to = new BufferedOutputStream(new DigestOutputStream(
                Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), digest))) {
            rows = store.copyOut(tx, table, to);
        }
        ForcedFiles.force(file);
        return new Manifest.Part(table, rows, Files.size(file), HexFormat.of().formatHex(digest.digest()));
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
