package dev.tallystick.cli.ledger;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.TallyCommand;
import dev.tallystick.core.Json;
import dev.tallystick.core.Ulid;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.json.JsonPatch;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.Change;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.tx.Write;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** The commands that append to a stream. They differ only in the change. */
final class LedgerWrites {

    private LedgerWrites() {}

    /** JSON from the command line or a file. */
    static final class Body {

        @Option(names = "--body", paramLabel = "TEXT", required = true, description = "The JSON itself.")
        private @Nullable String text;

        @Option(names = "--file", paramLabel = "FILE", required = true, description = "A file with the JSON.")
        private @Nullable Path file;

        Json json() throws IOException {
            return LedgerCommand.json(text != null ? text : file != null ? LedgerInput.read(file) : "");
        }
    }

    /** Common to all writes. */
    abstract static class Appending extends TallyCommand {

        @ParentCommand
        private LedgerCommand ledger;

        @Parameters(index = "0", paramLabel = "COLLECTION", description = "The collection: a-z, 0-9, - and _.")
        private String collection;

        @Parameters(index = "1", paramLabel = "DOC", description = "The document's name.")
        private String document;

        @Option(
                names = "--expected-head",
                paramLabel = "HEAD",
                required = true,
                description = "The document's current head; '' if it is new.")
        private String expectedHead;

        @Option(
                names = "--tx-id",
                paramLabel = "ULID",
                defaultValue = "",
                description = "Transaction ID. Reuse it to retry a write; generated if omitted.")
        private String txId;

        abstract Change change() throws IOException;

        @Override
        public final ExitCode run() throws IOException {
            StreamId stream = LedgerCommand.stream(collection, document);
            TxHash head = LedgerCommand.head(expectedHead);
            Ulid id = LedgerCommand.txId(txId);
            Write write = new Write(stream, change(), head, id);
            try (Ledger opened = ledger.open()) {
                return tell(opened.append(write), id);
            }
        }

        private ExitCode tell(Append append, Ulid id) {
            SequencedMap<String, Json> fields = new LinkedHashMap<>();
            switch (append) {
                case Append.Appended done -> {
                    fields.put("head", Json.of(done.head().hex()));
                    fields.put("commit", Json.of(done.commit().hex()));
                    fields.put("tx_id", Json.of(id.toString()));
                    fields.put("version", Json.of(done.version()));
                    return answer(
                            "version " + done.version() + "\nhead    " + done.head() + "\ncommit  " + done.commit(),
                            fields);
                }
                case Append.HeadChanged changed -> {
                    fields.put("current_head", Json.of(changed.current().hex()));
                    fields.put("tx_id", Json.of(id.toString()));
                    answer("conflict: the head is " + (changed.current().isNone() ? "''" : changed.current()), fields);
                    return ExitCode.CONFLICT;
                }
                case Append.Invalid invalid -> throw LedgerCommand.invalid(invalid);
                case Append.Refused refused -> throw LedgerCommand.refused(refused);
                case Append.Unavailable unavailable ->
                    throw new CommandFailed(
                            ExitCode.UNKNOWN_OUTCOME,
                            unavailable.reason(),
                            "The write may or may not have happened: retry with --tx-id " + id + ".");
            }
        }
    }

    @Command(name = "put", description = "Put a document.")
    static final class Put extends Appending {

        @ArgGroup(multiplicity = "1")
        private Body body;

        @Override
        Change change() throws IOException {
            return new Change.Put(body.json());
        }
    }

    @Command(name = "patch", description = "Apply a JSON Patch (RFC 6902) to a document.")
    static final class Patch extends Appending {

        @ArgGroup(multiplicity = "1")
        private Body body;

        @Override
        Change change() throws IOException {
            Json operations = body.json();
            return new Change.Patch(LedgerInput.valid(() -> JsonPatch.of(operations), "Fix the patch."));
        }
    }

    @Command(name = "delete", description = "Delete a document; its history stays.")
    static final class Delete extends Appending {

        @Override
        Change change() {
            return new Change.Delete();
        }
    }

    @Command(name = "revert", description = "Restore an earlier version of a document, even after a deletion.")
    static final class Revert extends Appending {

        @Option(names = "--to", paramLabel = "VERSION", required = true, description = "The version to restore.")
        private int version;

        @Override
        Change change() {
            return new Change.Revert(version);
        }
    }
}
