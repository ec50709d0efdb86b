package dev.tallystick.cli.daemon;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.CommandGroup;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ServerConnection;
import dev.tallystick.core.Json;
import dev.tallystick.core.JsonRefused;
import dev.tallystick.daemon.local.RowView;
import dev.tallystick.daemon.outbox.OutboxRow;
import dev.tallystick.daemon.outbox.Salvage;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The outbox of a daemon. */
@Command(
        name = "outbox",
        description = {
            "Look at what the daemon keeps and has sent, and requeue what is dead.",
            "pending and inflight rows are kept here; done rows were accepted by the server."
        },
        subcommands = {
            OutboxCommand.Ls.class,
            OutboxCommand.Inspect.class,
            OutboxCommand.RequeueRow.class,
            OutboxCommand.Check.class,
            OutboxCommand.SalvageRows.class
        },
        footer = {
            "  tally outbox ls --status dead",
            "  tally outbox inspect 01JZ0W8M3T5K7N9P1R3T5V7X9Z",
            "  tally outbox requeue 01JZ0W8M3T5K7N9P1R3T5V7X9Z --auto",
            "  tally outbox check",
            "  tally outbox salvage --to rows.jsonl",
        })
public final class OutboxCommand extends CommandGroup {

    @Command(name = "ls", description = "List rows in the order of acceptance.")
    static final class Ls extends LocalList {

        @Option(
                names = "--status",
                paramLabel = "WORD",
                description = "Only rows that are pending, inflight, done, dead or aborted.")
        private @Nullable String status;

        @Option(names = "--key", paramLabel = "KEY", description = "Only the row with this key.")
        private @Nullable String key;

        @Override
        public ExitCode run() {
            String query =
                    (status == null ? "" : "&status=" + encoded(status)) + (key == null ? "" : "&key=" + encoded(key));
            return list("/v1/outbox", query, "rows", Ls::line);
        }

        private static String line(Map<String, Json> row) {
            return "%s  %-8s  %-24s  %s  %s"
                    .formatted(
                            ServerConnection.words(row.get("id")),
                            ServerConnection.words(row.get("status")),
                            ServerConnection.words(row.get("destination")),
                            ServerConnection.words(row.get("client_message_id")),
                            ServerConnection.words(row.get("last_error")))
                    .stripTrailing();
        }

        private static String encoded(String text) {
            return URLEncoder.encode(text, StandardCharsets.UTF_8);
        }
    }

    /** A command about one row. */
    abstract static class OfRow extends LocalCommand {

        @Parameters(index = "0", paramLabel = "ROW_ID", description = "The id of the row.")
        private String row;

        final String path() {
            return "/v1/outbox/" + URLEncoder.encode(row, StandardCharsets.UTF_8);
        }
    }

    @Command(
            name = "inspect",
            description = "Show a row, its content, and the rows that it replaces or that replace it.")
    static final class Inspect extends OfRow {

        @Override
        public ExitCode run() {
            Json.ObjectValue row = ask("GET", path(), null);
            return answer(ServerConnection.lines(row.members()), row);
        }
    }

    @Command(
            name = "requeue",
            description = {
                "Give the content of a dead or pending row a new row and a new key.",
                "The old key is never free again; the old row stays, as aborted."
            })
    static final class RequeueRow extends OfRow {

        @Option(names = "--new-client-id", paramLabel = "ID", description = "The new key; it must be unused.")
        private @Nullable String key;

        @Option(names = "--auto", description = "Let the daemon make the new key (the default).")
        private boolean auto;

        @Option(
                names = "--patch-payload",
                paramLabel = "FILE",
                description = "Send this JSON instead: the new message, or the new input of the job.")
        private @Nullable Path patch;

        @Option(
                names = "--force",
                description = "Do it although the server may have the old one: then both take effect.")
        private boolean force;

        @Override
        public ExitCode run() {
            if (auto && key != null) {
                throw new CommandFailed(ExitCode.USAGE, "--auto and --new-client-id exclude each other", "Pass one.");
            }
            Map<String, Json> body = new TreeMap<>();
            body.put("force", Json.of(force));
            if (key != null) {
                body.put("new_client_message_id", Json.of(key));
            }
            if (patch != null) {
                body.put("message", read(patch));
            }
            Json.ObjectValue requeued = ask("POST", path() + "/requeue", new Json.ObjectValue(body));
            return answer(
                    "kept here as row "
                            + ServerConnection.words(requeued.members().get("id")) + " under the key "
                            + ServerConnection.words(requeued.members().get("client_message_id")),
                    requeued);
        }

        private static Json read(Path file) {
            try {
                return Json.parse(Files.readAllBytes(file));
            } catch (IOException e) {
                throw new CommandFailed(ExitCode.USAGE, "cannot read " + file + ": " + e, "Pass a readable file.");
            } catch (JsonRefused e) {
                throw new CommandFailed(
                        ExitCode.USAGE, file + " is not JSON: " + e.getMessage(), "A text needs quotes around it.");
            }
        }
    }

    @Command(name = "check", description = "Check the file and every row, without changing anything.")
    static final class Check extends LocalCommand {

        @Override
        public ExitCode run() {
            Salvage found = salvage(this, row -> {});
            SequencedMap<String, Json> fields = fields(found);
            answer(
                    (found.isWhole() ? "whole: " : "damaged: ") + found.rows() + " rows, " + found.damaged()
                            + " of them changed, " + found.unreadable() + " unreadable"
                            + found.problems().stream().map(each -> "\n" + each).reduce("", String::concat),
                    fields);
            return found.isWhole() ? ExitCode.OK : ExitCode.CONFLICT;
        }
    }

    @Command(
            name = "salvage",
            description = {
                "Export every readable row of a damaged outbox, one JSON object per line.",
                "The file itself stays as it is. Afterwards move it away, start the daemon,",
                "and send what was pending again: under the same keys, nothing happens twice."
            })
    static final class SalvageRows extends LocalCommand {

        @Option(names = "--to", paramLabel = "FILE", required = true, description = "A new file for the rows.")
        private Path target;

        @Override
        public ExitCode run() throws IOException {
            try {
                Files.createFile(
                        target, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            } catch (IOException e) {
                throw new CommandFailed(ExitCode.USAGE, "cannot create " + target + ": " + e, "Name a new file.");
            }
            try (BufferedWriter out = Files.newBufferedWriter(target)) {
                Salvage found = salvage(this, row -> {
                    try {
                        out.write(RowView.exported(row).canonical() + "\n");
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
                SequencedMap<String, Json> fields = fields(found);
                fields.put("file", Json.of(target.toString()));
                answer(
                        found.rows() + " rows in " + target + ", " + found.damaged() + " of them changed, "
                                + found.unreadable() + " unreadable",
                        fields);
            }
            return ExitCode.OK;
        }
    }

    private static Salvage salvage(LocalCommand command, Consumer<OutboxRow> rows) {
        try {
            return Salvage.of(command.directory(), rows);
        } catch (IOException e) {
            throw new CommandFailed(ExitCode.NOT_FOUND, String.valueOf(e.getMessage()), "Pass the daemon's --dir.");
        }
    }

    private static SequencedMap<String, Json> fields(Salvage found) {
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        fields.put("whole", Json.of(found.isWhole()));
        fields.put("rows", Json.of(found.rows()));
        fields.put("damaged", Json.of(found.damaged()));
        fields.put("unreadable", Json.of(found.unreadable()));
        fields.put(
                "problems",
                new Json.ArrayValue(
                        found.problems().stream().<Json>map(Json::of).toList()));
        return fields;
    }
}
