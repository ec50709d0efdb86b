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

/** Checks a receipt of a Git-backed ledger with only the file and a key. */
public final class LedgerReceipt {

    private LedgerReceipt() {}

    /** Prints the verdict on behalf of {@code command}. */
    public static ExitCode check(TallyCommand command, String receipt, Path rootKey, @Nullable Path currentKey)
            throws IOException {
        String current = currentKey == null ? "" : LedgerInput.key(currentKey).line();
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        switch (ReceiptCheck.of(receipt, LedgerInput.key(rootKey).line(), current)) {
            case ReceiptCheck.Proven proven -> {
                fields.put("proven", Json.of(true));
                fields.put("stream", Json.of(proven.stream()));
                fields.put("tx_id", Json.of(proven.transaction()));
                fields.put("hash", Json.of(proven.hash()));
                fields.put("position", Json.of(proven.position()));
                command.answer("proven: transaction " + proven.transaction() + " of " + proven.stream(), fields);
                return ExitCode.OK;
            }
            case ReceiptCheck.Refused refused -> {
                fields.put("proven", Json.of(false));
                fields.put("reason", Json.of(refused.reason()));
                command.answer("not proven: " + refused.reason(), fields);
                return ExitCode.CONFLICT;
            }
        }
    }
}
