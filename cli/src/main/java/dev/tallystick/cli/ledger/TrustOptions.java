package dev.tallystick.cli.ledger;

import dev.tallystick.ledger.verifier.Trust;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What the user trusts and a ledger is checked against. */
final class TrustOptions {

    @Option(names = "--root-key", paramLabel = "FILE", description = "The root key, obtained from a trusted source.")
    private @Nullable Path rootKey;

    @Option(names = "--current-key", paramLabel = "FILE", description = "The current signing key, if you know it.")
    private @Nullable Path currentKey;

    @Option(names = "--anchor", paramLabel = "FILE", description = "An anchor written by 'anchor'.")
    private @Nullable Path anchor;

    Trust trust() throws IOException {
        return LedgerInput.trust(rootKey, currentKey, anchor);
    }
}
