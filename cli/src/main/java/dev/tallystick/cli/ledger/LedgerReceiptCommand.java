package dev.tallystick.cli.ledger;

import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.TallyCommand;
import dev.tallystick.core.Json;
import dev.tallystick.ledger.verifier.ReceiptCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Checks a receipt with only the file and a key. */
@Command(
        name = "verify",
        description = "Check a receipt offline against a root key that you trust.",
        sortOptions = false,
        optionListHeading = "%nOptions:%n",
        parameterListHeading = "%n",
        footerHeading = "%nFor example:%n",
        footer = "  $ tally verify receipt.json --root-key books.pub")
public final class LedgerReceiptCommand extends TallyCommand {

    @Parameters(paramLabel = "RECEIPT", description = "The receipt.")
    @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
    private Path receipt;

    @Option(
            names = "--root-key",
            paramLabel = "FILE",
            required = true,
            description = "The ledger's root key, obtained from a trusted source, not from the receipt.")
    @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
    private Path rootKey;

    @Option(
            names = "--current-key",
            paramLabel = "FILE",
            description = "The current signing key, if you know it: signatures of retired keys then prove nothing.")
    private @Nullable Path currentKey;

    @Override
    public ExitCode run() throws IOException {
        String text = LedgerCommand.read(receipt);
        String current = currentKey == null ? "" : LedgerCommand.key(currentKey).line();
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        switch (ReceiptCheck.of(text, LedgerCommand.key(rootKey).line(), current)) {
            case ReceiptCheck.Proven proven -> {
                fields.put("proven", Json.of(true));
                fields.put("stream", Json.of(proven.stream()));
                fields.put("tx_id", Json.of(proven.transaction()));
                fields.put("hash", Json.of(proven.hash()));
                fields.put("position", Json.of(proven.position()));
                answer("proven: transaction " + proven.transaction() + " of " + proven.stream(), fields);
                return ExitCode.OK;
            }
            case ReceiptCheck.Refused refused -> {
                fields.put("proven", Json.of(false));
                fields.put("reason", Json.of(refused.reason()));
                answer("not proven: " + refused.reason(), fields);
                return ExitCode.CONFLICT;
            }
        }
    }
}
