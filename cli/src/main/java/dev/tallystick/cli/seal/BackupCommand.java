package dev.tallystick.cli.seal;

import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Json;
import dev.tallystick.server.OfflineDatabase;
import dev.tallystick.server.backup.Backup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Backs a server's database up. */
@Command(
        name = "backup",
        description = {
            "Copy all tables of a server's database into a directory, as of one moment, while servers run.",
            "The copy of the log in the database is part of it. The signing key and the installation's secret are not:",
            "keep a copy of DIR/seal where the backups are not."
        },
        footerHeading = "%nExamples:%n",
        footer = "  tally backup backup-1 --postgres 'jdbc:postgresql://db/tally?user=tally'",
        sortOptions = false)
public final class BackupCommand extends DatabaseCommand {

    @Parameters(paramLabel = "BACKUP", description = "The directory to create.")
    @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
    private Path backup;

    @Override
    ExitCode run(OfflineDatabase database) throws IOException {
        Backup.Made made = new Backup(database.database(), CrashPoints.NONE).into(backup);
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        fields.put("made_at", Json.of(made.at().toString()));
        fields.put("tables", Json.of(made.tables()));
        fields.put("rows", Json.of(made.rows()));
        fields.put("bytes", Json.of(made.bytes()));
        answer(
                "backed up as of %s: %d tables, %d rows, %d bytes"
                        .formatted(made.at(), made.tables(), made.rows(), made.bytes()),
                fields);
        return ExitCode.OK;
    }
}
