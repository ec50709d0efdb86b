package dev.tallystick.cli.seal;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Json;
import dev.tallystick.engine.seal.LogSuccession;
import dev.tallystick.server.OfflineDatabase;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Gives a log up that cannot be continued. */
@Command(
        name = "succeed",
        description = {
            "Give up a log that is lost for good, and let another one follow it, with another name and another key.",
            "The first entry of the new log names the old one. Old receipts stay valid under the old root key.",
            "Stop all servers that seal first, and give everyone the new root key."
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = "  tally log succeed --data .tally/server --reason 'the signing key was lost in a fire'")
final class SucceedCommand extends DatabaseCommand {

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            required = true,
            description = "Why the log cannot be continued. Everyone can read it in the new log.")
    @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
    private String reason;

    @Option(
            names = "--log-is-lost",
            description = {
                "Also if the database was restored and could not be compared with the log.",
                "Keys that were accepted after the backup are then not known, and run again if they are submitted again."
            })
    private boolean isLogLost;

    @Override
    ExitCode run(OfflineDatabase database) throws IOException {
        LogSuccession.Succeeded done;
        try {
            done = new LogSuccession(database.database(), data().resolve("seal"), CrashPoints.NONE)
                    .succeed(reason, isLogLost);
        } catch (IllegalArgumentException e) {
            throw new CommandFailed(
                    ExitCode.CONFLICT,
                    String.valueOf(e.getMessage()),
                    "See docs/guides/proof.md, 'A log that is lost'.");
        }
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        fields.put("log", Json.of(done.rootKey().name()));
        fields.put("root_key", Json.of(done.rootKey().toString()));
        fields.put("succeeds", Json.of(done.oldOrigin()));
        fields.put("size", Json.of(done.oldSize()));
        return answer(
                "log " + done.rootKey().name() + " succeeds log " + done.oldOrigin() + " of size " + done.oldSize()
                        + "\nits root key is " + done.rootKey(),
                fields);
    }
}
