package dev.tallystick.server.backup;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.seal.LogReplay;
import dev.tallystick.sql.Also;
import dev.tallystick.sql.CopyStore;
import dev.tallystick.sql.CopyStore.Sequence;
import dev.tallystick.sql.CopyStore.Table;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Schema;
import dev.tallystick.sql.SessionLimits;
import dev.tallystick.sql.Tx;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;

/** Fills an empty database from a backup, in one transaction. */
public final class Restore {

    /** What a new database has before it is used. */
    private static final List<String> FILLED_BY_MIGRATIONS = List.of("installation", "sequencer", "mesh");

    private final Database database;
    private final Schema schema;
    private final CrashPoints crashPoints;
    private final CopyStore store = new CopyStore();

    public Restore(Database database, Schema schema, CrashPoints crashPoints) {
        this.database = database;
        this.schema = schema;
        this.crashPoints = crashPoints;
    }

    /** A backup that was restored. */
    public record Restored(Instant madeAt, long rows) {}

    /**
     * Restores a backup, unless that has happened and only the comparison with the log is missing. {@link LogCheck} ends it.
     *
     * @throws BackupException if the backup is incomplete or damaged or of another version, or the database is in use
     */
    public Restored from(Path directory) throws IOException {
        Path file = directory.resolve(Manifest.FILE);
        if (!Files.exists(file)) {
            throw new BackupException(directory + " is not a complete backup: it has no " + Manifest.FILE);
        }
        Manifest manifest = Manifest.parse(Files.readAllBytes(file));
        List<String> unused = schema.migrate(database);
        LogReplay replay = new LogReplay(database);
        if (replay.isUnsettled()) {
            return new Restored(
                    manifest.madeAt(),
                    manifest.parts().stream().mapToLong(Manifest.Part::rows).sum());
        }
        Also marking = replay.marking(manifest.madeAt());
        return database.transact("restore", SessionLimits.LONG, tx -> fill(tx, directory, manifest, marking));
    }

    private Restored fill(Tx tx, Path directory, Manifest manifest, Also also) throws SQLException {
        if (!store.migrations(tx).equals(manifest.migrations())) {
            throw new BackupException("the backup was made by another version of Tallystick: restore it with that"
                    + " version, and upgrade then");
        }
        List<Table> tables = store.tables(tx);
        requireUnused(tx, tables);
        store.clear(tx, tables);
        long rows = 0;
        for (Table table : tables) {
            Manifest.Part part = manifest.parts().stream()
                    .filter(each -> each.table().equals(table))
                    .findFirst()
                    .orElseThrow(() -> new BackupException("the backup has no table '" + table.name() + "'"));
            try {
                rows += fill(tx, directory, part);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read the rows of " + table.name(), e);
            }
        }
        for (Sequence sequence : manifest.sequences()) {
            store.advance(tx, sequence);
        }
        also.write(tx);
        crashPoints.reached(BackupCrashPoint.RESTORING);
        return new Restored(manifest.madeAt(), rows);
    }

    private void requireUnused(Tx tx, List<Table> tables) throws SQLException {
        for (Table table : tables) {
            if (!FILLED_BY_MIGRATIONS.contains(table.name()) && !store.isEmpty(tx, table)) {
                throw new BackupException(
                        "the database is in use: its table '" + table.name() + "' has rows. Name an empty database");
            }
        }
    }

    private long fill(Tx tx, Path directory, Manifest.Part part) throws SQLException, IOException {
        MessageDigest digest = Backup.sha256();
        long rows;
        try (InputStream from = new DigestInputStream(
                new BufferedInputStream(Files.newInputStream(directory.resolve(part.file()))), digest)) {
            rows = store.copyIn(tx, part.table(), from);
        }
        if (rows != part.rows() || !HexFormat.of().formatHex(digest.digest()).equals(part.sha256())) {
            throw new BackupException(part.file() + " is damaged: it is not what the manifest says");
        }
        return rows;
    }
}
