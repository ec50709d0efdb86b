package dev.tallystick.cli.seal;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.TallyCommand;
import dev.tallystick.cli.ledger.LedgerInput;
import dev.tallystick.core.Json;
import dev.tallystick.core.Unicode;
import dev.tallystick.log.audit.Finding;
import dev.tallystick.log.audit.LogAudit;
import dev.tallystick.log.audit.MemberAudit;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.receipt.KeyProof;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Checks the log of sealed jobs. */
@Command(
        name = "log",
        description = "Check the log of sealed jobs.",
        subcommands = {LogCommand.Audit.class, ConsistencyCommand.class, RotateKeyCommand.class, SucceedCommand.class},
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tally log audit .tally/server/log --root-key root.pub",
            "  tally log audit .tally/server/log --root-key root.pub --proof key.json --keys keys.txt"
        })
public final class LogCommand extends TallyCommand {

    @Override
    public ExitCode run() {
        throw new CommandFailed(ExitCode.USAGE, "missing subcommand", "Try 'tally log --help'.");
    }

    @Command(
            name = "audit",
            description = {
                "Read every entry of a log, compare every head with the key map built from the entries, and every tile",
                "with the tree. Works on a copy of the directory, too.",
                "With the proofs of a member's keys, also whether all its acceptances are of keys that you know."
            },
            sortOptions = false)
    static final class Audit extends TallyCommand {

        @Parameters(paramLabel = "DIR", description = "The directory of the log.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private Path directory;

        @Mixin
        private final RootKeyOption rootKey = new RootKeyOption();

        @Option(
                names = "--proof",
                paramLabel = "FILE",
                description = "The proof of a key, with the secret of its member; repeatable.")
        private List<Path> proofs = List.of();

        @Option(
                names = "--keys",
                paramLabel = "FILE",
                description = "All other keys of these members, one on each line.")
        private @Nullable Path keys;

        @Override
        public ExitCode run() throws IOException {
            if (!Files.isDirectory(directory)) {
                throw new CommandFailed(ExitCode.NOT_FOUND, "there is no directory " + directory, "Check the path.");
            }
            LogAudit.Report report = LogAudit.audit(directory, rootKey.read(), members());
            List<String> findings =
                    report.findings().stream().map(Finding::toString).toList();
            String counted = "%s: %d entries, %d heads"
                    .formatted(report.isClean() ? "clean" : "broken", report.size(), report.heads());
            LogEntry.Succession succeeds = report.succeeds();
            SequencedMap<String, Json> fields = new LinkedHashMap<>();
            fields.put("clean", Json.of(report.isClean()));
            fields.put("size", Json.of(report.size()));
            fields.put("heads", Json.of(report.heads()));
            fields.put(
                    "findings",
                    new Json.ArrayValue(findings.stream().<Json>map(Json::of).toList()));
            if (succeeds != null) {
                fields.put("succeeds", succeeds.json());
                counted += "\nsucceeds log " + Unicode.shown(succeeds.log().name()) + " of size " + succeeds.size()
                        + ": " + succeeds.reason();
            }
            answer(findings.isEmpty() ? counted : String.join("\n", findings) + "\n" + counted, fields);
            return report.isClean() ? ExitCode.OK : ExitCode.CONFLICT;
        }

        private MemberAudit members() {
            MemberAudit members = new MemberAudit();
            for (Path file : proofs) {
                try {
                    members.show(KeyProof.parse(LedgerInput.read(file).getBytes(StandardCharsets.UTF_8)));
                } catch (IllegalArgumentException e) {
                    throw new CommandFailed(
                            ExitCode.USAGE, file + ": " + e.getMessage(), "Pass what 'tally key prove' shows.");
                }
            }
            if (keys != null) {
                LedgerInput.read(keys).lines().filter(key -> !key.isEmpty()).forEach(members::show);
            }
            return members;
        }
    }
}
