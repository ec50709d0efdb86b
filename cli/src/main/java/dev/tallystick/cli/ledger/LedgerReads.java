package dev.tallystick.cli.ledger;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.TallyCommand;
import dev.tallystick.core.Json;
import dev.tallystick.core.JsonRefused;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.json.JsonPatch;
import dev.tallystick.ledger.tx.BranchEntry;
import dev.tallystick.ledger.tx.Collection;
import dev.tallystick.ledger.tx.Document;
import dev.tallystick.ledger.tx.Listed;
import dev.tallystick.ledger.tx.LogEntry;
import dev.tallystick.ledger.tx.StreamId;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** The commands that read documents and their history. */
final class LedgerReads {

    static final String BRANCH = "The merged history to read from, as named by 'log --all'.";

    private LedgerReads() {}

    /** Common to commands that read one document. */
    abstract static class Reading extends TallyCommand {

        @ParentCommand
        private LedgerCommand ledger;

        @Parameters(index = "0", paramLabel = "COLLECTION", description = "The collection.")
        private String collection;

        @Parameters(index = "1", paramLabel = "DOC", description = "The document's name.")
        private String document;

        abstract ExitCode read(Ledger opened, StreamId stream) throws IOException;

        @Override
        public final ExitCode run() throws IOException {
            StreamId stream = LedgerCommand.stream(collection, document);
            try (Ledger opened = ledger.open()) {
                return read(opened, stream);
            }
        }
    }

    @Command(name = "get", description = "Show a document and its head.")
    static final class Get extends Reading {

        @Option(names = "--at", paramLabel = "VERSION", description = "The version to show (default: the newest).")
        private int version;

        @Option(names = "--branch", paramLabel = "BRANCH", defaultValue = "", description = BRANCH)
        private String branch;

        @Override
        ExitCode read(Ledger opened, StreamId stream) throws IOException {
            if (version == 0 && !branch.isEmpty()) {
                throw new CommandFailed(
                        ExitCode.USAGE, "--branch needs --at", "Pass the version that 'log --all' shows.");
            }
            Document found = version == 0 ? opened.read(stream) : opened.readAt(stream, branch, version);
            SequencedMap<String, Json> fields = new LinkedHashMap<>();
            fields.put("head", Json.of(found.head().hex()));
            switch (found) {
                case Document.Present present -> {
                    fields.put("version", Json.of(present.version()));
                    fields.put("body", present.body());
                    return answer(present.body().canonical(), fields);
                }
                case Document.Deleted deleted -> {
                    fields.put("version", Json.of(deleted.version()));
                    fields.put("deleted", Json.of(true));
                    answer("deleted at version " + deleted.version(), fields);
                    return ExitCode.NOT_FOUND;
                }
                case Document.Absent absent -> {
                    answer(version == 0 ? "there is no " + stream : stream + " has no version " + version, fields);
                    return ExitCode.NOT_FOUND;
                }
            }
        }
    }

    @Command(name = "log", description = "Show a document's transactions, newest first.")
    static final class Log extends Reading {

        @Option(names = "--limit", paramLabel = "N", defaultValue = "100", description = "Maximum number (100).")
        private int limit;

        @Option(names = "--all", description = "Also show transactions of merged histories.")
        private boolean all;

        @Override
        ExitCode read(Ledger opened, StreamId stream) throws IOException {
            if (limit < 1 || limit == Integer.MAX_VALUE) {
                throw new CommandFailed(ExitCode.USAGE, "--limit must be at least 1", "Pass a larger number.");
            }
            List<BranchEntry> found = all
                    ? opened.logWithBranches(stream, limit + 1)
                    : opened.log(stream, Integer.MAX_VALUE, limit + 1).stream()
                            .map(entry -> new BranchEntry("", entry))
                            .toList();
            boolean more = found.size() > limit;
            List<BranchEntry> log = found.subList(0, Math.min(limit, found.size()));
            String text = log.stream().map(Log::line).collect(Collectors.joining("\n"));
            SequencedMap<String, Json> fields = new LinkedHashMap<>();
            fields.put(
                    "transactions",
                    new Json.ArrayValue(log.stream().map(Log::fields).toList()));
            fields.put("more", Json.of(more));
            answer(
                    log.isEmpty()
                            ? "there is no " + stream
                            : text + (more ? "\n(more transactions: raise --limit)" : ""),
                    fields);
            return log.isEmpty() ? ExitCode.NOT_FOUND : ExitCode.OK;
        }

        private static String line(BranchEntry found) {
            LogEntry entry = found.entry();
            String branch = found.branch().isEmpty() ? "" : "  merged by " + found.branch();
            return "%5d  %s  %-6s  %s  %s%s"
                    .formatted(
                            entry.version(),
                            time(entry),
                            entry.tx().op(),
                            entry.tx().txId(),
                            entry.hash(),
                            branch);
        }

        private static Json fields(BranchEntry found) {
            Map<String, Json> fields = new TreeMap<>(((Json.ObjectValue) fields(found.entry())).members());
            if (!found.branch().isEmpty()) {
                fields.put("branch", Json.of(found.branch()));
            }
            return new Json.ObjectValue(fields);
        }

        static Json fields(LogEntry entry) {
            Map<String, Json> fields = new TreeMap<>();
            fields.put("version", Json.of(entry.version()));
            fields.put("hash", Json.of(entry.hash().hex()));
            fields.put("parent_hash", Json.of(entry.tx().parent().hex()));
            fields.put("op", Json.of(entry.tx().op().name().toLowerCase(Locale.ROOT)));
            fields.put("tx_id", Json.of(entry.tx().txId().toString()));
            fields.put("time", Json.of(time(entry).toString()));
            if (!entry.tx().merged().isNone()) {
                fields.put("merged_hash", Json.of(entry.tx().merged().hex()));
            }
            if (!entry.tx().conflicts().isEmpty()) {
                fields.put("conflicts", conflicts(entry));
            }
            return new Json.ObjectValue(fields);
        }

        private static Json conflicts(LogEntry entry) {
            try {
                return Json.parse(entry.tx().conflicts(), Document.LIMITS);
            } catch (JsonRefused e) {
                throw LedgerCommand.damaged("the conflicts of version " + entry.version() + " are invalid JSON");
            }
        }

        private static Instant time(LogEntry entry) {
            return Instant.EPOCH.plusNanos(entry.tx().timestamp());
        }
    }

    @Command(name = "diff", description = "Show the JSON Patch between two versions of a document.")
    static final class Diff extends Reading {

        @Option(names = "--from", paramLabel = "VERSION", required = true, description = "The version to compare from.")
        private int from;

        @Option(names = "--to", paramLabel = "VERSION", required = true, description = "The version to compare to.")
        private int to;

        @Override
        ExitCode read(Ledger opened, StreamId stream) throws IOException {
            JsonPatch patch;
            try {
                patch = opened.diff(stream, from, to);
            } catch (IllegalArgumentException e) {
                throw new CommandFailed(ExitCode.NOT_FOUND, LedgerInput.message(e), "See 'log' for the versions.");
            }
            SequencedMap<String, Json> fields = new LinkedHashMap<>();
            fields.put("patch", patch.operations());
            return answer(
                    patch.operations().elements().stream().map(Json::canonical).collect(Collectors.joining("\n")),
                    fields);
        }
    }

    @Command(name = "list", description = "List the collections, or the documents of one.")
    static final class ListDocuments extends TallyCommand {

        @ParentCommand
        private LedgerCommand ledger;

        @Parameters(
                paramLabel = "COLLECTION",
                defaultValue = "",
                description = "The collection; without it, all collections are listed.")
        private String collection;

        @Option(names = "--limit", paramLabel = "N", defaultValue = "1000", description = "Maximum number (1000).")
        private int limit;

        @Option(
                names = "--after",
                paramLabel = "PATH",
                defaultValue = "",
                description = "Continue after the last path of the previous page.")
        private String after;

        @Override
        public ExitCode run() throws IOException {
            try (Ledger opened = ledger.open()) {
                return collection.isEmpty() ? collections(opened) : documents(opened);
            }
        }

        private ExitCode collections(Ledger opened) throws IOException {
            List<Collection> all = opened.collections();
            SequencedMap<String, Json> fields = new LinkedHashMap<>();
            fields.put(
                    "collections",
                    new Json.ArrayValue(
                            all.stream().<Json>map(one -> Json.of(one.name())).toList()));
            return answer(all.stream().map(Collection::name).collect(Collectors.joining("\n")), fields);
        }

        private ExitCode documents(Ledger opened) throws IOException {
            Collection wanted = LedgerInput.valid(() -> new Collection(collection), "Choose another name.");
            List<Listed> page = opened.list(wanted, after, limit);
            SequencedMap<String, Json> fields = new LinkedHashMap<>();
            fields.put(
                    "documents",
                    new Json.ArrayValue(page.stream().map(ListDocuments::fields).toList()));
            String text = page.stream()
                    .map(one -> "%5d  %s%s"
                            .formatted(one.version(), one.stream().document(), one.deleted() ? "  (deleted)" : ""))
                    .collect(Collectors.joining("\n"));
            return answer(text, fields);
        }

        private static Json fields(Listed one) {
            return new Json.ObjectValue(Map.of(
                    "document", Json.of(one.stream().document()),
                    "version", Json.of(one.version()),
                    "head", Json.of(one.head().hex()),
                    "deleted", Json.of(one.deleted()),
                    "path", Json.of(one.path())));
        }
    }
}
