package dev.tallystick.cli.ledger;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ProgressBar;
import dev.tallystick.core.Json;
import dev.tallystick.ledger.Clone;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.copies.Fetch;
import dev.tallystick.ledger.copies.Merge;
import dev.tallystick.ledger.copies.Merge.JoinedStream;
import dev.tallystick.ledger.copies.Push;
import dev.tallystick.ledger.git.NotALedgerException;
import dev.tallystick.ledger.git.RemoteFailedException;
import dev.tallystick.ledger.ssh.PublicKey;
import dev.tallystick.ledger.tx.CommitId;
import dev.tallystick.ledger.verifier.Finding;
import dev.tallystick.ledger.write.LedgerOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands for other copies of a ledger. They never overwrite a commit, here or there. */
final class LedgerCopies {

    private LedgerCopies() {}

    /** Common to all of them. */
    abstract static class Copying extends LedgerAdmin.Whole {

        @Parameters(
                paramLabel = "REMOTE",
                defaultValue = "origin",
                description = "The other copy: a remote's name or a Git URL (origin).")
        private String remote;

        abstract ExitCode run(Ledger opened, String address) throws IOException;

        @Override
        public final ExitCode run() throws IOException {
            try (Ledger opened = ledger().open()) {
                return run(opened, remote);
            } catch (RemoteFailedException e) {
                throw unreachable(e);
            } catch (IllegalArgumentException e) {
                throw new CommandFailed(ExitCode.USAGE, LedgerInput.message(e), "Pass a remote's name or address.");
            }
        }

        final ExitCode upToDate(CommitId head) {
            return answer(ExitCode.OK, "up_to_date", "up to date", Map.of("commit", Json.of(head.hex())));
        }

        final ExitCode forwarded(CommitId head) {
            return answer(ExitCode.OK, "forwarded", "now at " + head, Map.of("commit", Json.of(head.hex())));
        }

        final ExitCode refused(String reason) {
            return answer(ExitCode.CONFLICT, "refused", "refused: " + reason, Map.of("reason", Json.of(reason)));
        }

        final ExitCode answer(ExitCode code, String outcome, String text, Map<String, Json> more) {
            SequencedMap<String, Json> fields = new LinkedHashMap<>();
            fields.put("outcome", Json.of(outcome));
            fields.putAll(more);
            answer(text, fields);
            return code;
        }
    }

    /** Common to the commands that take commits from another copy. */
    abstract static class Taking extends Copying {

        @Option(
                names = "--current-key",
                paramLabel = "FILE",
                description =
                        "The current signing key, if you know it: a history continued by a retired key is refused.")
        private @Nullable Path currentKey;

        final @Nullable PublicKey currentKey() throws IOException {
            return currentKey == null ? null : LedgerInput.key(currentKey);
        }
    }

    private static CommandFailed unreachable(RemoteFailedException e) {
        return new CommandFailed(
                ExitCode.NOT_FOUND, LedgerInput.message(e), "Nothing was changed here; fix it and try again.");
    }

    @Command(name = "clone", description = "Clone a ledger into --repo and verify its whole history.")
    static final class CloneCopy extends LedgerAdmin.Whole {

        @Parameters(paramLabel = "ADDRESS", description = "The ledger's Git URL.")
        private String address;

        @Mixin
        private final TrustOptions trusted = new TrustOptions();

        @Override
        public ExitCode run() throws IOException {
            try (ProgressBar bar = progressBar()) {
                return tell(Ledger.cloneFrom(
                        address, ledger().repository(), trusted.trust(), LedgerOptions.defaults(), bar::report));
            } catch (RemoteFailedException e) {
                throw unreachable(e);
            } catch (NotALedgerException e) {
                throw new CommandFailed(ExitCode.CONFLICT, LedgerInput.message(e), "Choose another directory.");
            } catch (IllegalArgumentException e) {
                throw new CommandFailed(ExitCode.USAGE, LedgerInput.message(e), "Pass a Git URL.");
            }
        }

        private ExitCode tell(Clone clone) throws IOException {
            SequencedMap<String, Json> fields = new LinkedHashMap<>();
            switch (clone) {
                case Clone.Cloned cloned -> {
                    try (Ledger copy = cloned.ledger()) {
                        fields.put("outcome", Json.of("cloned"));
                        fields.put("commit", Json.of(copy.commit().hex()));
                        answer("cloned, at commit " + copy.commit(), fields);
                    }
                    return ExitCode.OK;
                }
                case Clone.Unsound unsound -> {
                    List<String> findings =
                            unsound.findings().stream().map(Finding::toString).toList();
                    fields.put("outcome", Json.of("unsound"));
                    fields.put(
                            "findings",
                            new Json.ArrayValue(
                                    findings.stream().<Json>map(Json::of).toList()));
                    answer(String.join("\n", findings), fields);
                    return ExitCode.CONFLICT;
                }
            }
        }
    }

    @Command(name = "fetch", description = "Fast-forward to another copy, if this one has nothing that it lacks.")
    static final class FetchCopy extends Taking {

        @Override
        ExitCode run(Ledger opened, String address) throws IOException {
            PublicKey key = currentKey();
            return switch (key == null ? opened.fetch(address) : opened.fetch(address, key)) {
                case Fetch.UpToDate done -> upToDate(done.head());
                case Fetch.Forwarded done -> forwarded(done.head());
                case Fetch.Diverged diverged ->
                    answer(
                            ExitCode.CONFLICT,
                            "diverged",
                            "diverged: each copy has commits that the other lacks; run 'merge'\nours    "
                                    + diverged.ours() + "\ntheirs  " + diverged.theirs(),
                            Map.of(
                                    "ours", Json.of(diverged.ours().hex()),
                                    "theirs", Json.of(diverged.theirs().hex())));
                case Fetch.Refused refused -> refused(refused.reason());
            };
        }
    }

    @Command(
            name = "push",
            description = "Fast-forward another copy to this one, if it has nothing that this one lacks.")
    static final class PushCopy extends Copying {

        @Override
        ExitCode run(Ledger opened, String address) throws IOException {
            return switch (opened.push(address)) {
                case Push.Pushed done ->
                    answer(
                            ExitCode.OK,
                            "pushed",
                            "pushed " + done.head(),
                            Map.of("commit", Json.of(done.head().hex())));
                case Push.UpToDate done -> upToDate(done.head());
                case Push.FetchFirst behind ->
                    answer(
                            ExitCode.CONFLICT,
                            "fetch_first",
                            "nothing was pushed: the other copy has newer commits; run 'fetch' first",
                            Map.of());
                case Push.Refused refused -> refused(refused.reason());
            };
        }
    }

    @Command(
            name = "merge",
            description = "Fetch and merge the two histories; conflicts are recorded, nothing is lost.")
    static final class MergeCopy extends Taking {

        @Override
        ExitCode run(Ledger opened, String address) throws IOException {
            PublicKey key = currentKey();
            return switch (key == null ? opened.merge(address) : opened.merge(address, key)) {
                case Merge.UpToDate done -> upToDate(done.head());
                case Merge.Forwarded done -> forwarded(done.head());
                case Merge.Joined joined ->
                    answer(
                            ExitCode.OK,
                            "joined",
                            joined.streams().stream().map(MergeCopy::line).collect(Collectors.joining())
                                    + "merged in commit " + joined.head(),
                            Map.of(
                                    "commit",
                                    Json.of(joined.head().hex()),
                                    "streams",
                                    new Json.ArrayValue(joined.streams().stream()
                                            .map(MergeCopy::fields)
                                            .toList())));
                case Merge.Refused refused -> refused(refused.reason());
            };
        }

        private static String line(JoinedStream stream) {
            int conflicts = stream.conflicts().elements().size();
            return stream.stream() + "  version " + stream.version() + ", conflicts: " + conflicts + "\n";
        }

        private static Json fields(JoinedStream stream) {
            return new Json.ObjectValue(Map.of(
                    "collection", Json.of(stream.stream().collection().name()),
                    "document", Json.of(stream.stream().document()),
                    "head", Json.of(stream.head().hex()),
                    "version", Json.of(stream.version()),
                    "conflicts", stream.conflicts()));
        }
    }
}
