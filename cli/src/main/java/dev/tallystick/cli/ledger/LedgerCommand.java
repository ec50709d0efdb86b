package dev.tallystick.cli.ledger;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.core.Ids;
import dev.tallystick.core.Json;
import dev.tallystick.core.JsonRefused;
import dev.tallystick.core.Ulid;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.DamagedRefException;
import dev.tallystick.ledger.git.NotALedgerException;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.ledger.write.MissingKeyException;
import dev.tallystick.ledger.write.UnverifiedHistoryException;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The ledger in a Git repository. The classes listed below have the subcommands. */
@Command(
        name = "ledger",
        description = "Keep documents in a Git repository that proves its history.",
        subcommands = {
            LedgerAdmin.Init.class,
            LedgerWrites.Put.class,
            LedgerReads.Get.class,
            LedgerWrites.Patch.class,
            LedgerWrites.Delete.class,
            LedgerWrites.Revert.class,
            LedgerReads.Log.class,
            LedgerReads.Diff.class,
            LedgerReads.ListDocuments.class,
            LedgerAdmin.Schema.class,
            LedgerAdmin.Verify.class,
            LedgerAdmin.Inspect.class,
            LedgerAdmin.Collect.class,
            LedgerAdmin.Bundle.class,
            LedgerCopies.CloneCopy.class,
            LedgerCopies.PushCopy.class,
            LedgerCopies.FetchCopy.class,
            LedgerCopies.MergeCopy.class,
            LedgerQueries.Query.class,
            LedgerQueries.Watch.class,
            LedgerAdmin.Receipt.class,
            LedgerAdmin.Keys.class,
            LedgerAdmin.Anchor.class
        },
        sortOptions = false,
        synopsisSubcommandLabel = "COMMAND",
        optionListHeading = "%nOptions:%n",
        commandListHeading = "%nCommands:%n",
        footerHeading = "%nFor example:%n",
        footer = {
            "  $ tally ledger --repo books.git init",
            "  $ tally ledger --repo books.git put orders o-1 --body '{\"total\":10}' --expected-head ''",
            "  $ tally ledger --repo books.git verify --root-key root.pub",
        })
public final class LedgerCommand implements Runnable {

    @Option(
            names = "--repo",
            paramLabel = "DIR",
            required = true,
            scope = ScopeType.INHERIT,
            description = "The ledger's bare repository.")
    private Path repository;

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "missing subcommand");
    }

    Path repository() {
        return repository;
    }

    Ledger open() throws IOException {
        try {
            return Ledger.open(repository, LedgerOptions.defaults());
        } catch (NotALedgerException e) {
            throw new CommandFailed(
                    ExitCode.NOT_FOUND,
                    LedgerInput.message(e),
                    "Create a ledger with 'tally ledger --repo " + repository + " init'.");
        }
    }

    static StreamId stream(String collection, String document) {
        return LedgerInput.valid(() -> StreamId.of(collection, document), "Choose another name.");
    }

    static TxHash head(String hex) {
        return LedgerInput.valid(
                () -> new TxHash(hex), "Pass the head printed by 'get' or by the last write; '' for a new document.");
    }

    static Ulid txId(String text) {
        return text.isEmpty()
                ? new Ids(InstantSource.system(), new SecureRandom()).nextUlid()
                : LedgerInput.valid(() -> Ulid.parse(text), "Leave out --tx-id to generate one.");
    }

    static Json json(String text) {
        try {
            return Json.parse(text);
        } catch (JsonRefused e) {
            throw new CommandFailed(ExitCode.USAGE, "invalid JSON: " + e.getMessage(), "Fix the body and try again.");
        }
    }

    static CommandFailed invalid(Append.Invalid invalid) {
        return new CommandFailed(ExitCode.USAGE, invalid.reason(), "Nothing was written.");
    }

    static CommandFailed refused(Append.Refused refused) {
        return new CommandFailed(
                ExitCode.CONFLICT,
                refused.reason(),
                "Nothing was written. Run 'tally ledger verify' to see what is wrong.");
    }

    /** What a user can do about a failure of the ledger; other failures unchanged. */
    public static Exception explained(Exception e) {
        if (e instanceof DamagedObjectException || e instanceof DamagedRefException) {
            return damaged(LedgerInput.message(e));
        }
        if (e instanceof UnverifiedHistoryException) {
            return new CommandFailed(
                    ExitCode.CONFLICT,
                    LedgerInput.message(e),
                    "Nothing was written. Run 'tally ledger verify' for all findings.");
        }
        if (e instanceof MissingKeyException) {
            return new CommandFailed(
                    ExitCode.CONFLICT,
                    LedgerInput.message(e),
                    "Nothing was written. Store the key with 'keys --import'.");
        }
        return e;
    }

    static CommandFailed damaged(String what) {
        return new CommandFailed(
                ExitCode.CONFLICT,
                "the ledger is damaged: " + what,
                "Run 'tally ledger verify' for all findings, then restore the ledger from another copy.");
    }
}
