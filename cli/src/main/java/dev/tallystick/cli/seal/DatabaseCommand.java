package dev.tallystick.cli.seal;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ServerConnection;
import dev.tallystick.cli.command.TallyCommand;
import dev.tallystick.server.OfflineDatabase;
import dev.tallystick.server.ServerSettings;
import dev.tallystick.server.backup.BackupException;
import dev.tallystick.sql.DefiniteFailureException;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A command on the database of a server, while the server does not run or beside it. */
abstract class DatabaseCommand extends TallyCommand {

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "The server's directory (default: ${DEFAULT-VALUE}). Its own Postgres must not be in use.")
    private Path data = ServerConnection.DATA;

    @Option(
            names = "--postgres",
            paramLabel = "JDBC-URL",
            description = "The server's Postgres, if it is not in its directory (default: TALLY_POSTGRES).")
    private @Nullable String postgres;

    abstract ExitCode run(OfflineDatabase database) throws IOException;

    final Path data() {
        return data;
    }

    @Override
    public final ExitCode run() throws IOException {
        ServerSettings settings = ServerSettings.of(data, environment());
        if (postgres != null) {
            settings = settings.on(postgres);
        }
        try (OfflineDatabase database = OfflineDatabase.open(settings)) {
            return run(database);
        } catch (BackupException e) {
            throw new CommandFailed(
                    ExitCode.CONFLICT,
                    String.valueOf(e.getMessage()),
                    "See docs/guides/proof.md, 'Backup and restore'.");
        } catch (DefiniteFailureException e) {
            throw new CommandFailed(
                    ExitCode.CONFLICT,
                    String.valueOf(e.getMessage()),
                    "Is it running, and are host, port, database, user and password in --postgres right?");
        }
    }
}
