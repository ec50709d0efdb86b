package dev.tallystick.cli.seal;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.TallyCommand;
import dev.tallystick.cli.ledger.LedgerInput;
import dev.tallystick.core.Json;
import dev.tallystick.log.files.Continuity;
import dev.tallystick.log.note.SignedNote;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows that a log only grew since a checkpoint that was kept. */
@Command(
        name = "consistency",
        description = {
            "Check that a log only grew between two checkpoints: that the first one's entries are the beginning of the",
            "second one's."
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = "  tally log consistency kept/checkpoint .tally/server/log/checkpoint --root-key root.pub")
final class ConsistencyCommand extends TallyCommand {

    @Parameters(index = "0", paramLabel = "OLD", description = "The file of a checkpoint that you kept.")
    @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
    private Path old;

    @Parameters(index = "1", paramLabel = "NEW", description = "The file of a later checkpoint.")
    @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
    private Path later;

    @Mixin
    private final RootKeyOption rootKey = new RootKeyOption();

    @Option(
            names = "--log",
            paramLabel = "DIR",
            description = "The directory of the log, or a copy (default: the directory of NEW).")
    private @Nullable Path directory;

    @Override
    public ExitCode run() throws IOException {
        Path log = directory == null ? later.toAbsolutePath().resolveSibling("") : directory;
        Continuity continuity = Continuity.between(log, rootKey.read(), checkpoint(old), checkpoint(later));
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        return switch (continuity) {
            case Continuity.Continues continues -> {
                fields.put("consistent", Json.of(true));
                fields.put("old_size", Json.of(continues.oldSize()));
                fields.put("new_size", Json.of(continues.newSize()));
                fields.put(
                        "proof",
                        new Json.ArrayValue(continues.proof().stream()
                                .<Json>map(hash -> Json.of(hash.base64()))
                                .toList()));
                answer(
                        "consistent: the log of size %d begins with the log of size %d"
                                .formatted(continues.newSize(), continues.oldSize()),
                        fields);
                yield ExitCode.OK;
            }
            case Continuity.Refused refused -> {
                fields.put("consistent", Json.of(false));
                fields.put("reason", Json.of(refused.reason()));
                answer("not consistent: " + refused.reason(), fields);
                yield ExitCode.CONFLICT;
            }
        };
    }

    private static SignedNote checkpoint(Path file) {
        try {
            return SignedNote.parse(LedgerInput.read(file));
        } catch (IllegalArgumentException e) {
            throw new CommandFailed(
                    ExitCode.USAGE, file + " has no checkpoint: " + e.getMessage(), "Pass a checkpoint of the log.");
        }
    }
}
