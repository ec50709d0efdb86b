package dev.tallystick.cli.ledger;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ProgressBar;
import dev.tallystick.cli.command.TallyCommand;
import dev.tallystick.core.Json;
import dev.tallystick.ledger.Anchoring;
import dev.tallystick.ledger.DamagedAnchorException;
import dev.tallystick.ledger.FileAnchor;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.git.NotALedgerException;
import dev.tallystick.ledger.history.Anchored;
import dev.tallystick.ledger.ssh.PublicKey;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.Collection;
import dev.tallystick.ledger.verifier.Report;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** The commands about the whole ledger: init, verify, schemas, keys, receipts, anchors and housekeeping. */
final class LedgerAdmin {

    private LedgerAdmin() {}

    /** Common to all of them. */
    abstract static class Whole extends TallyCommand {

        @ParentCommand
        private LedgerCommand ledger;

        final LedgerCommand ledger() {
            return ledger;
        }

        static void failUnlessDone(Append append) {
            switch (append) {
                case Append.Appended done -> {}
                case Append.HeadChanged changed ->
                    throw new CommandFailed(
                            ExitCode.CONFLICT, "another write came first", "Check the current state, then try again.");
                case Append.Invalid invalid -> throw LedgerCommand.invalid(invalid);
                case Append.Refused refused -> throw LedgerCommand.refused(refused);
                case Append.Unavailable unavailable ->
                    throw new CommandFailed(
                            ExitCode.UNKNOWN_OUTCOME, unavailable.reason(), "Check whether it was written.");
            }
        }
    }

    @Command(name = "init", description = "Create a ledger unless it exists, and print its root key.")
    static final class Init extends Whole {

        @Option(
                names = "--key",
                paramLabel = "FILE",
                description = "The private root key, as from ssh-keygen -t ed25519; generated if omitted.")
        private @Nullable Path key;

        @Override
        public ExitCode run() throws IOException {
            SigningKey root = key == null ? SigningKey.generate() : signingKey(LedgerInput.read(key));
            try (Ledger opened = Ledger.init(ledger().repository(), root, LedgerOptions.defaults())) {
                String line = opened.keys().getFirst().line();
                SequencedMap<String, Json> fields = new LinkedHashMap<>();
                fields.put("root_key", Json.of(line));
                fields.put("commit", Json.of(opened.head().commit().hex()));
                return answer(line, fields);
            } catch (NotALedgerException e) {
                throw new CommandFailed(ExitCode.CONFLICT, LedgerInput.message(e), "Choose another directory.");
            }
        }
    }

    @Command(name = "schema", description = "Show or replace a collection's JSON Schema.")
    static final class Schema extends Whole {

        @Parameters(paramLabel = "COLLECTION", description = "The collection.")
        private String collection;

        @Option(names = "--file", paramLabel = "FILE", description = "The new schema.")
        private @Nullable Path file;

        @Override
        public ExitCode run() throws IOException {
            Collection wanted = LedgerInput.valid(() -> new Collection(collection), "Choose another name.");
            try (Ledger opened = ledger().open()) {
                if (file != null) {
                    failUnlessDone(opened.putSchema(wanted, LedgerCommand.json(LedgerInput.read(file))));
                }
                Optional<Json> schema = opened.schema(wanted);
                SequencedMap<String, Json> fields = new LinkedHashMap<>();
                fields.put("schema", schema.orElse(Json.ofNull()));
                answer(schema.map(Json::canonical).orElse("no schema"), fields);
                return schema.isPresent() ? ExitCode.OK : ExitCode.NOT_FOUND;
            }
        }
    }

    @Command(
            name = "verify",
            description =
                    "Verify every byte, commit and transaction of the ledger. Without --root-key or --anchor the ledger"
                            + " is only checked for consistency.")
    static final class Verify extends Whole {

        @Option(
                names = "--quick",
                description = "Verify only commits since the anchor (all without one) and the newest transaction of"
                        + " every stream. Damage before the anchor is not detected.")
        private boolean quick;

        @Mixin
        private final TrustOptions trusted = new TrustOptions();

        @Override
        public ExitCode run() throws IOException {
            Trust trust = trusted.trust();
            Verifier.Depth depth = quick ? Verifier.Depth.QUICK : Verifier.Depth.DEEP;
            Report report;
            try (ProgressBar bar = progressBar()) {
                report = Verifier.verify(ledger().repository(), trust, depth, bar::report);
            }
            VerifyProse prose = new VerifyProse(report, trust, depth);
            answer(prose.text(), prose.fields());
            return report.isClean() ? ExitCode.OK : ExitCode.CONFLICT;
        }
    }

    @Command(name = "inspect", description = "Show the ledger's head, root, keys and collections.")
    static final class Inspect extends Whole {

        @Override
        public ExitCode run() throws IOException {
            try (Ledger opened = ledger().open()) {
                Anchored head = opened.head();
                List<String> collections =
                        opened.collections().stream().map(Collection::name).toList();
                SequencedMap<String, Json> fields = new LinkedHashMap<>();
                fields.put("commit", Json.of(head.commit().hex()));
                fields.put("position", Json.of(head.position()));
                fields.put("root", Json.of(head.root()));
                fields.put("keys", Json.of(opened.keys().size()));
                fields.put(
                        "collections",
                        new Json.ArrayValue(
                                collections.stream().<Json>map(Json::of).toList()));
                return answer(
                        "commit       %s%nposition     %d%nroot         %s%nkeys         %d%ncollections  %s"
                                .formatted(
                                        head.commit(),
                                        head.position(),
                                        head.root(),
                                        opened.keys().size(),
                                        String.join(" ", collections)),
                        fields);
            }
        }
    }

    @Command(name = "receipt", description = "Print the receipt of a transaction; 'tally verify' checks it offline.")
    static final class Receipt extends LedgerReads.Reading {

        @Option(names = "--at", paramLabel = "VERSION", required = true, description = "The version to prove.")
        private int version;

        @Option(names = "--branch", paramLabel = "BRANCH", defaultValue = "", description = LedgerReads.BRANCH)
        private String branch;

        @Override
        ExitCode read(Ledger opened, dev.tallystick.ledger.tx.StreamId stream) throws IOException {
            var receipt = opened.receipt(stream, branch, version)
                    .orElseThrow(() ->
                            new CommandFailed(ExitCode.NOT_FOUND, stream + " has no version " + version, "See 'log'."));
            return print(receipt.text().stripTrailing());
        }
    }

    @Command(name = "keys", description = "List the ledger's public keys, or rotate the signing key.")
    static final class Keys extends Whole {

        @Option(names = "--rotate", description = "Generate a new key that signs from the next commit on.")
        private boolean rotate;

        @Option(
                names = "--import",
                paramLabel = "FILE",
                description =
                        "Store one of the ledger's private keys on this machine, so that it can write to its copy.")
        private @Nullable Path imported;

        @Override
        public ExitCode run() throws IOException {
            try (Ledger opened = ledger().open()) {
                if (imported != null) {
                    opened.addSigningKey(signingKey(LedgerInput.read(imported)));
                }
                if (rotate) {
                    failUnlessDone(opened.rotateKey(SigningKey.generate()));
                }
                List<String> lines = opened.keys().stream().map(PublicKey::line).toList();
                SequencedMap<String, Json> fields = new LinkedHashMap<>();
                fields.put(
                        "keys",
                        new Json.ArrayValue(lines.stream().<Json>map(Json::of).toList()));
                return answer(lines.stream().collect(Collectors.joining("\n")), fields);
            }
        }
    }

    @Command(
            name = "anchor",
            description = "Save the ledger's head to a file, for 'verify --anchor'. An existing anchor moves only if"
                    + " everything since verifies.")
    static final class Anchor extends Whole {

        @Parameters(paramLabel = "FILE", description = "The anchor file; best kept on another machine.")
        private Path file;

        @Option(
                names = "--root-key",
                paramLabel = "FILE",
                description = "The root key, obtained from a trusted source.")
        private @Nullable Path rootKey;

        @Override
        public ExitCode run() throws IOException {
            Trust trust = LedgerInput.trust(rootKey, null, null);
            try (Ledger opened = ledger().open();
                    ProgressBar bar = progressBar()) {
                return answer(opened.anchor(new FileAnchor(file), trust, bar::report));
            } catch (DamagedAnchorException e) {
                throw new CommandFailed(ExitCode.CONFLICT, LedgerInput.message(e), "Keep this file, and pass another.");
            }
        }

        private ExitCode answer(Anchoring anchoring) {
            return switch (anchoring) {
                case Anchoring.Moved moved -> {
                    SequencedMap<String, Json> fields = new LinkedHashMap<>();
                    fields.put("position", Json.of(moved.head().position()));
                    fields.put("root", Json.of(moved.head().root()));
                    answer(
                            "position " + moved.head().position() + ", root "
                                    + moved.head().root(),
                            fields);
                    yield ExitCode.OK;
                }
                case Anchoring.Refused refused ->
                    throw new CommandFailed(
                            ExitCode.CONFLICT,
                            "the head does not descend from the anchor: "
                                    + refused.findings().getFirst(),
                            "The anchor was not moved. Run 'verify --anchor " + file + "' for all findings.");
            };
        }
    }

    @Command(name = "gc", description = "Repack everything into one pack and drop unreachable objects.")
    static final class Collect extends Whole {

        @Override
        public ExitCode run() throws IOException {
            try (Ledger opened = ledger().open();
                    ProgressBar bar = progressBar()) {
                int objects = opened.collectGarbage(bar::report);
                SequencedMap<String, Json> fields = new LinkedHashMap<>();
                fields.put("objects", Json.of(objects));
                return answer(objects + " objects in one pack", fields);
            }
        }
    }

    @Command(name = "bundle", description = "Write the whole ledger to a new bundle file that git can clone.")
    static final class Bundle extends Whole {

        @Parameters(paramLabel = "FILE", description = "The bundle file; it must not exist.")
        private Path file;

        @Override
        public ExitCode run() throws IOException {
            try (Ledger opened = ledger().open()) {
                opened.bundle(file);
                SequencedMap<String, Json> fields = new LinkedHashMap<>();
                fields.put("bundle", Json.of(file.toString()));
                return answer("git clone " + file, fields);
            } catch (FileAlreadyExistsException e) {
                throw new CommandFailed(ExitCode.CONFLICT, file + " already exists", "Choose another file.");
            }
        }
    }

    private static SigningKey signingKey(String text) {
        return LedgerInput.valid(() -> SigningKey.parse(text), "Pass an unencrypted Ed25519 key in OpenSSH format.");
    }
}
