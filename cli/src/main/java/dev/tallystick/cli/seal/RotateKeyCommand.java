package dev.tallystick.cli.seal;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.TallyCommand;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Json;
import dev.tallystick.engine.seal.LogNumber;
import dev.tallystick.engine.seal.SigningKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Has a log signed with another key from its next batch on. */
@Command(
        name = "rotate-key",
        description = {
            "Make the next signing key of a log, and print its public half. The server that seals names it in its next",
            "batch, signs with it from then on, and deletes the old one. The root key stays the one to verify with."
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = "  tally log rotate-key .tally/server")
final class RotateKeyCommand extends TallyCommand {

    @Parameters(paramLabel = "DIR", description = "The directory of the server that seals.")
    @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
    private Path data;

    /** A server writes the root key of its log at its start. */
    private LogNumber number() {
        LogNumber number = LogNumber.FIRST;
        while (Files.exists(data.resolve(number.next().file("root", ".pub")))) {
            number = number.next();
        }
        return number;
    }

    @Override
    public ExitCode run() throws IOException {
        SigningKeys.Request request;
        try {
            request = SigningKeys.request(data.resolve("seal"), number(), CrashPoints.NONE);
        } catch (NoSuchFileException e) {
            throw new CommandFailed(
                    ExitCode.NOT_FOUND,
                    "there is no signing key in " + data,
                    "Pass the --data of the server that seals.");
        }
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        return switch (request) {
            case SigningKeys.Request.Made made -> {
                fields.put("next_key", Json.of(made.next().toString()));
                answer(made.next().toString(), fields);
                yield ExitCode.OK;
            }
            case SigningKeys.Request.Pending pending ->
                throw new CommandFailed(
                        ExitCode.CONFLICT,
                        "the log is about to change to the key " + pending.next(),
                        "Wait until the server has sealed its next batch.");
        };
    }
}
